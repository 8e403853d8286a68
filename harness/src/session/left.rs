//! Looking for processes that outlive their session, and ending them.
//!
//! Found are: members of the session's process group, descendants that were seen while their ancestor lived,
//! whoever carries the session's mark in its environment, which a daemon inherits however it detaches itself, and, where
//! we are a subreaper and hold no other session, orphans that became our children. A
//! descendant is only ended when its start time is still the one that was seen, so that a reused pid is not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::transcript::LeftProcess;

/// Processes by pid, each with its start time.
pub(super) type Family = BTreeMap<u32, u64>;

/// One line of `/proc/PID/stat`.
struct Stat {
    pid: u32,
    name: String,
    state: char,
    parent: u32,
    group: u32,
    started: u64,
}

/// The descendants of a process, at this moment.
pub(super) fn descendants(root: u32) -> Family {
    let all = processes();
    let mut family = Family::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for stat in all.iter().filter(|stat| stat.parent == parent) {
            if family.insert(stat.pid, stat.started).is_none() {
                parents.push(stat.pid);
            }
        }
    }
    family
}

/// What is left of a session whose leader is reaped: named, ended, and reaped where it has become ours.
pub(super) fn sweep(leader: u32, family: &Family, mark: &str) -> Vec<LeftProcess> {
    let mut named: BTreeMap<u32, String> = BTreeMap::new();
    let adopts = adopts(leader);
    // A fork in flight is found at the second look.
    for _ in 0..8 {
        let all = processes();
        // What was ours before the session began is none of it: a shell may have become us.
        let since = all.iter().find(|stat| stat.pid == leader).map(|stat| stat.started);
        let is_adopted = |stat: &Stat| {
            adopts
                && stat.parent == std::process::id()
                && stat.pid != leader
                && since.is_some_and(|since| stat.started >= since)
        };
        let found: Vec<Stat> = all
            .into_iter()
            .filter(|stat| is_adopted(stat) || belongs(stat, leader, family, mark))
            .collect();
        if found.is_empty() {
            break;
        }
        for stat in found {
            let Some(pid) = i32::try_from(stat.pid).ok().and_then(Pid::from_raw) else { continue };
            if stat.state != 'Z' {
                named.insert(stat.pid, stat.name);
                let _gone_meanwhile = kill_process(pid, Signal::KILL);
            }
            let _not_ours = waitpid(Some(pid), WaitOptions::NOHANG);
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    named.into_iter().map(|(pid, name)| LeftProcess { pid, name }).collect()
}

/// Ends orphans that became ours while several sessions were held, so that nobody knows whose they are; whether there
/// were any. Only where no session is held.
pub(crate) fn end_orphans() -> bool {
    let held = !LEADERS.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
    if held || !is_subreaper() {
        return false;
    }
    let mut any = false;
    for _ in 0..8 {
        let all = processes();
        let ours: Vec<&Stat> =
            all.iter().filter(|stat| stat.parent == std::process::id()).collect();
        if ours.is_empty() {
            break;
        }
        for stat in ours {
            let Some(pid) = i32::try_from(stat.pid).ok().and_then(Pid::from_raw) else { continue };
            if stat.state != 'Z' {
                any = true;
                let _gone_meanwhile = kill_process(pid, Signal::KILL);
            }
            let _not_ours = waitpid(Some(pid), WaitOptions::NOHANG);
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    any
}

fn belongs(stat: &Stat, leader: u32, family: &Family, mark: &str) -> bool {
    if stat.pid == leader || stat.pid == std::process::id() {
        return false;
    }
    let zombie_of_others = stat.state == 'Z' && stat.parent != std::process::id();
    let known = family.get(&stat.pid).is_some_and(|started| *started == stat.started);
    (stat.group == leader || known || is_marked(stat.pid, mark)) && !zombie_of_others
}

/// Whether a process was started with the session's mark in its environment.
fn is_marked(pid: u32, mark: &str) -> bool {
    std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
        environment.split(|byte| *byte == 0).any(|one| one == mark.as_bytes())
    })
}

/// The leaders of the sessions that are held now.
static LEADERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Takes note that a session with this leader is held.
pub(super) fn begin(leader: u32) {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner).insert(leader);
}

/// Takes note that it is held no more.
pub(super) fn finish(leader: u32) {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner).remove(&leader);
}

/// Whether a child of ours that we did not start must be an orphan of this session.
fn adopts(leader: u32) -> bool {
    let alone =
        LEADERS.lock().unwrap_or_else(PoisonError::into_inner).iter().all(|one| *one == leader);
    alone && is_subreaper()
}

#[cfg(target_os = "linux")]
fn is_subreaper() -> bool {
    rustix::process::child_subreaper().is_ok_and(|reaper| reaper.is_some())
}

#[cfg(not(target_os = "linux"))]
fn is_subreaper() -> bool {
    false
}

/// Every process that the system shows; none where there is no `/proc`.
fn processes() -> Vec<Stat> {
    let Ok(folder) = std::fs::read_dir("/proc") else { return Vec::new() };
    folder
        .flatten()
        .filter(|entry| {
            entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit)
        })
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
        .filter_map(|line| parse(&line))
        .collect()
}

/// The name stands in parentheses and may hold anything, also parentheses.
fn parse(line: &str) -> Option<Stat> {
    let (head, rest) = line.rsplit_once(')')?;
    let (pid, name) = head.split_once(" (")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(Stat {
        pid: pid.parse().ok()?,
        name: name.to_string(),
        state: fields.first()?.chars().next()?,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_spaces_does_not_shift_the_fields() {
        let line = "71 (a) b (c) S 7 70 70 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 4242 1 1";
        let stat = parse(line).unwrap();
        assert_eq!((stat.pid, stat.parent, stat.group, stat.started), (71, 7, 70, 4242));
        assert_eq!((stat.name.as_str(), stat.state), ("a) b (c", 'S'));
    }
}
