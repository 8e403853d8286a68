//! The user's wish to end a campaign before its end.

use std::sync::Arc;

use tokio::sync::watch;

/// A switch that is thrown once; every clone sees it.
#[derive(Clone, Debug)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Default for Stop {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Stop {
    /// A switch that nobody has thrown.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Throws it.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was thrown.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is thrown.
    pub async fn stopped(&self) {
        // The sender lives as long as this reference, so waiting cannot fail.
        let mut switch = self.0.subscribe();
        let _thrown = switch.wait_for(|stopped| *stopped).await;
    }
}
