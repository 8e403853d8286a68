//! The longer texts of `--help`.

/// What the program is for.
pub(super) const ABOUT: &str = "\
Certifies stdio JSON-RPC servers, such as those of the Model Context Protocol.

Pipeproof starts a server that somebody else wrote, drives it over real pipes with every way of cutting the bytes and \
the faults that the field has reported, and says, clause by clause, whether it conforms: with the bytes that prove it, \
and with two commands that show it again.";

const EXAMPLES: &str = "\
Examples:
  pipeproof certify -- npx -y my-server       certify a server
  pipeproof certify                           certify the built-in reference server
  pipeproof list                              every requirement, one a line
  pipeproof explain mcp.rpc.id-echo           one requirement in full
  pipeproof liar --list                       the ways in which the built-in liar can be wrong
  pipeproof certify -- pipeproof liar banner  see how one of them is found out";

const EXIT_STATUS: &str = "\
Exit status (when several apply, the first of this list):
   70  a fault of Pipeproof or of this machine
    2  wrong usage or configuration, or the subject could not be started
    4  the selection matched, but nothing of it applies to this subject
    1  the gate failed: something was found that --fail-on asks to fail on
    3  inconclusive: a requirement of the core could not be judged
    5  only entries of the baseline are stale
    0  the gate passed
  130  interrupted; what was judged until then is in the report";

/// What the subcommand `certify` does.
pub(super) const CERTIFY: &str = "\
Certifies a server.

The program is started, without a shell, as many times as the profile asks for, and each time driven over its stdin \
and stdout. Its tools are called only where they say of themselves that they only read. When the run is over no \
process that it started is left.

The verdict is one of: conformant, conformant with notes, inconclusive, not conformant. It says whether the \
specification is kept. Defects that no clause forbids but that are known to do harm stand beside it, as robustness. \
The gate decides the exit status, by --fail-on.

Without a program, the reference server that is built in is certified.";

const CERTIFY_EXAMPLES: &str = "\
Examples:
  pipeproof certify -- npx -y my-server
  pipeproof certify --report json=report.json --store run -- python -m my_server
  pipeproof certify --report junit=junit.xml -- ./server
  pipeproof certify --only 'mcp.stdio.*' --skip mcp.stdio.utf8 -- ./server --flag
  pipeproof certify --env API_KEY --cwd /srv/app --timeout 30s -- node server.js
  pipeproof certify --fail-on should,robust --strict -- ./server";

/// The end of the help of the program.
pub(super) fn top() -> String {
    format!("{EXAMPLES}\n\n{EXIT_STATUS}")
}

/// The end of the help of `certify`.
pub(super) fn certify() -> String {
    format!("{CERTIFY_EXAMPLES}\n\n{EXIT_STATUS}")
}

/// The end of the help of `list`.
pub(super) const LIST: &str = "\
Examples:
  pipeproof list
  pipeproof list --json | jq -r '.requirements[] | select(.level == \"must\") | .id'";

/// The end of the help of `explain`.
pub(super) const EXPLAIN: &str = "\
Examples:
  pipeproof explain mcp.rpc.id-echo
  pipeproof explain mcp.stdio.only-mcp-on-stdout";

/// The end of the help of `liar`.
pub(super) const LIAR: &str = "\
Examples:
  pipeproof liar --list                        every fault, and the requirement that it breaks
  pipeproof liar                               the honest reference server, on stdin and stdout
  pipeproof liar banner --era legacy           a server that is wrong in one way
  pipeproof certify -- pipeproof liar banner   certify it";
