//! Making a failing list smaller: delta debugging over anything that is a list, such as the cuts of a plan.
//!
//! The search asks and is answered, so that whoever tries a candidate may do it over a pipe, in a test or in a fuzz
//! target. It knows neither time nor what failing means; a caller that has had enough stops asking.

/// A search for a small part of a list that still fails.
///
/// The answer is 1-minimal where every question was answered: nothing can be left out of it by itself. The same answers
/// lead to the same questions.
///
/// # Example
///
/// ```
/// use pipeproof::split::Shrink;
///
/// let mut shrink = Shrink::new(vec![3, 7, 9, 20]);
/// while let Some(candidate) = shrink.candidate() {
///     let fails = candidate.contains(&9);
///     shrink.answer(fails);
/// }
/// assert_eq!(shrink.smallest(), [9]);
/// ```
#[derive(Clone, Debug)]
pub struct Shrink<T> {
    smallest: Vec<T>,
    parts: usize,
    /// The next question: a part alone, for the first `parts` numbers, then everything without a part.
    next: usize,
    over: bool,
}

impl<T: Clone> Shrink<T> {
    /// A search that begins with a list that fails.
    #[must_use]
    pub const fn new(failing: Vec<T>) -> Self {
        Self { smallest: failing, parts: 2, next: 0, over: false }
    }

    /// The smallest list that is known to fail.
    #[must_use]
    pub fn smallest(&self) -> &[T] {
        &self.smallest
    }

    /// What is to be tried now; `None` when nothing is left to try.
    #[must_use]
    pub fn candidate(&self) -> Option<Vec<T>> {
        if self.over || self.smallest.len() < 2 {
            return None;
        }
        let part = self.part(self.next % self.parts);
        let candidate = if self.next < self.parts {
            self.smallest[part].to_vec()
        } else {
            let (before, after) = (&self.smallest[..part.start], &self.smallest[part.end..]);
            [before, after].concat()
        };
        Some(candidate)
    }

    /// Whether the candidate failed.
    pub fn answer(&mut self, fails: bool) {
        let Some(candidate) = self.candidate() else { return };
        if fails {
            let alone = self.next < self.parts;
            self.smallest = candidate;
            self.parts = if alone { 2 } else { (self.parts - 1).max(2) };
            self.parts = self.parts.min(self.smallest.len().max(2));
            self.next = 0;
            return;
        }
        self.next += 1;
        // With two parts, each is all that is left without the other.
        let questions = if self.parts == 2 { 2 } else { 2 * self.parts };
        if self.next < questions {
            return;
        }
        let len = self.smallest.len();
        if self.parts >= len {
            self.over = true;
        } else {
            self.parts = (2 * self.parts).min(len);
            self.next = 0;
        }
    }

    /// The bounds of one of the parts.
    fn part(&self, number: usize) -> std::ops::Range<usize> {
        let len = self.smallest.len();
        number * len / self.parts..(number + 1) * len / self.parts
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shrink(all: Vec<usize>, fails: impl Fn(&[usize]) -> bool) -> (Vec<usize>, usize) {
        let mut shrink = Shrink::new(all);
        let mut asked = 0;
        while let Some(candidate) = shrink.candidate() {
            asked += 1;
            shrink.answer(fails(&candidate));
        }
        (shrink.smallest().to_vec(), asked)
    }

    #[test]
    fn one_cut_of_many_is_found_in_few_questions() {
        let (smallest, asked) = shrink((0..1000).collect(), |cuts| cuts.contains(&617));
        assert_eq!(smallest, [617]);
        assert!(asked <= 20, "{asked}");
    }

    #[test]
    fn what_fails_only_together_stays_together() {
        let (smallest, _) = shrink((0..64).collect(), |cuts| {
            cuts.contains(&3) && cuts.contains(&40) && cuts.contains(&63)
        });
        assert_eq!(smallest, [3, 40, 63]);
    }

    #[test]
    fn a_list_that_cannot_be_reduced_is_given_back() {
        assert_eq!(shrink(vec![1, 2, 3], |cuts| cuts.len() == 3).0, [1, 2, 3]);
        assert_eq!(shrink(vec![1], |_| true).0, [1]);
        assert_eq!(shrink(Vec::new(), |_| true).0, Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn nothing_can_be_left_out_of_the_smallest(
            all in 1usize..40,
            needed in prop::collection::btree_set(0usize..40, 1..4),
            least in 0usize..6,
        ) {
            let fails = |cuts: &[usize]| {
                cuts.len() >= least && needed.iter().filter(|one| **one < all).all(|one| cuts.contains(one))
            };
            prop_assume!(fails(&(0..all).collect::<Vec<_>>()));
            let (smallest, _) = shrink((0..all).collect(), fails);
            prop_assert!(fails(&smallest));
            for left_out in 0..smallest.len() {
                let mut fewer = smallest.clone();
                fewer.remove(left_out);
                prop_assert!(fewer.is_empty() || !fails(&fewer), "{fewer:?} of {smallest:?}");
            }
        }
    }
}
