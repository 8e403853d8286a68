//! What the tests start, and what the system says is left of it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pipeproof_transport::connection::{Ladder, Signal};
use pipeproof_transport::process::Spawn;

/// Longer than anything that goes right takes, also on a loaded machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn sh(script: &str) -> Spawn {
    Spawn::new("sh").args(["-c", script])
}

/// Close stdin, SIGTERM, SIGKILL, with next to no time between.
pub(super) fn short() -> Ladder {
    let moment = Duration::from_millis(20);
    Ladder::new().close_stdin(moment).signal(Signal::Terminate, moment).then_kill()
}

/// State and process group of a process, if there is one.
pub(super) fn process(pid: u32) -> Option<(char, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?.chars().next()?;
    let group = fields.nth(1)?.parse().ok()?;
    Some((state, group))
}

/// A zombie whose new parent has not collected it is as good as gone.
pub(super) fn lives(pid: u32) -> bool {
    process(pid).is_some_and(|(state, _)| state != 'Z' && state != 'X')
}

pub(super) fn members(group: u32) -> Vec<u32> {
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| lives(*pid) && process(*pid).is_some_and(|(_, of)| of == group))
        .collect()
}

/// A killed process is gone when the kernel gets to it.
pub(super) fn wait_until(what: &str, done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::yield_now();
    }
}

pub(super) fn assert_nothing_left(group: u32) {
    wait_until("group members are left", || members(group).is_empty());
    assert!(process(group).is_none(), "the leader was not reaped");
}

/// A process that no child owns any more; ended with the test, however that ends.
pub(super) struct Escaped(pub(super) u32);

impl Drop for Escaped {
    fn drop(&mut self) {
        let _ = std::process::Command::new("kill").arg(self.0.to_string()).status();
    }
}

pub(super) fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Writes a file by another process, so that no descriptor of ours is open for writing while a
/// test beside this one forks: the file could not be executed then.
pub(super) fn script(path: &Path, text: &str, mode: u32) {
    let status = std::process::Command::new("sh")
        .args(["-c", "printf %s \"$2\" > \"$1\"", "sh"])
        .args([path.as_os_str(), text.as_ref()])
        .status()
        .unwrap();
    assert!(status.success());
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}
