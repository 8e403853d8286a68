//! Judging a stored run again, without its subject.

use super::confirm::Follow;
use super::group::Group;
use super::selection::Selection;
use super::{CampaignError, Judge, Run, Verdicts, delivery, run::Together, transcripts};
use crate::catalogue::Catalogue;
use crate::check::Reading;
use crate::protocol::{self, Protocol};
use crate::store::Stored;
use crate::transcript::Transcript;

/// Judges a stored run as [`certify`](super::certify) would judge it now: the same version comes to the same results, and a
/// newer one says what was not stimulated then.
///
/// # Errors
///
/// When a pattern that was chosen then matches nothing any more.
pub async fn judge_again(stored: Stored) -> Result<Run, CampaignError> {
    let Stored { manifest, transcripts: mut recorded } = stored;
    let options = manifest.options();
    let subject = manifest.subject();
    let selection = Selection::new(&options, Catalogue::built_in())?;
    let protocol = manifest.protocol().unwrap_or(Protocol::Mcp);
    let mut groups: Vec<Group> = Vec::new();
    for together in &manifest.sessions.groups {
        groups.push(group(together, &mut recorded));
    }
    let judge = Judge {
        subject: &subject,
        options: &options,
        selection: &selection,
        protocol,
        eras: &manifest.subject.eras,
        follow: Follow::Stored,
    };
    let mut results = Vec::new();
    for group in &mut groups {
        results.extend(judge.group(group).await?);
    }
    let verdict = Verdicts::new(&results, &options, &selection, manifest.interrupted);
    Ok(Run {
        conformance: verdict.judgement.conformance,
        robustness: verdict.judgement.robustness,
        gate: verdict.judgement.gate,
        scope: verdict.scope,
        exit: verdict.exit,
        fail_on: options.fail_on.clone(),
        interrupted: manifest.interrupted,
        subject: manifest.subject.clone(),
        seed: options.seed,
        profile: options.profile,
        strict: options.strict,
        started: manifest.started.clone(),
        duration: manifest.duration(),
        starts: manifest.starts,
        delivery: delivery(&groups),
        results,
        sessions: manifest.sessions.clone(),
        transcripts: transcripts(groups, recorded),
    })
}

/// The sessions of one dialect, taken out of what was recorded.
fn group(together: &Together, recorded: &mut Vec<Transcript>) -> Group {
    let mut take = |name: &String| {
        let place = recorded.iter().position(|one| one.header.session == *name)?;
        Some(Reading::new(recorded.swap_remove(place)))
    };
    let mut group = Group::new(protocol::dialect(together.era, &together.asked));
    for reading in together.sessions.iter().filter_map(&mut take) {
        group.keep(reading);
    }
    for (of, name) in &together.again {
        if let Some(reading) = take(name) {
            group.again.insert(of.clone(), reading);
        }
    }
    for (id, name) in &together.reduced {
        if let Some(reading) = take(name) {
            group.reduced.insert(id.clone(), reading);
        }
    }
    group
}
