//! What many bring at once, in the order in which they were asked.

/// Keeps what is out of turn, and nothing else.
#[derive(Debug)]
pub(super) struct Turns<T> {
    next: usize,
    waiting: Vec<Waiting<T>>,
}

#[derive(Debug)]
struct Waiting<T> {
    items: Vec<T>,
    has_ended: bool,
}

impl<T> Turns<T> {
    /// For so many.
    pub(super) fn new(count: usize) -> Self {
        let waiting = || Waiting { items: Vec::new(), has_ended: false };
        Self { next: 0, waiting: std::iter::repeat_with(waiting).take(count).collect() }
    }

    /// One of them brings something. What is due now: this, or nothing yet.
    pub(super) fn give(&mut self, turn: usize, item: T) -> Vec<T> {
        if turn == self.next {
            return vec![item];
        }
        if let Some(waiting) = self.waiting.get_mut(turn) {
            waiting.items.push(item);
        }
        Vec::new()
    }

    /// One of them has brought everything. What is due now: what others brought whose turn it is.
    pub(super) fn end(&mut self, turn: usize) -> Vec<T> {
        if let Some(waiting) = self.waiting.get_mut(turn) {
            waiting.has_ended = true;
        }
        let mut due = Vec::new();
        while self.waiting.get(self.next).is_some_and(|waiting| waiting.has_ended) {
            self.next += 1;
            if let Some(waiting) = self.waiting.get_mut(self.next) {
                due.append(&mut waiting.items);
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way in which three bring two things each and end.
    fn orders(left: [usize; 3]) -> Vec<Vec<usize>> {
        if left == [0; 3] {
            return vec![Vec::new()];
        }
        let mut orders = Vec::new();
        for turn in 0..3 {
            let mut rest = left;
            if rest[turn] > 0 {
                rest[turn] -= 1;
                orders.extend(self::orders(rest).into_iter().map(|mut order| {
                    order.insert(0, turn);
                    order
                }));
            }
        }
        orders
    }

    #[test]
    fn whoever_comes_first_the_order_is_that_of_the_turns() {
        let all = orders([3; 3]);
        assert_eq!(all.len(), 1680);
        for order in all {
            let (mut turns, mut brought, mut due) = (Turns::new(3), [0; 3], Vec::new());
            for &turn in &order {
                brought[turn] += 1;
                due.extend(match brought[turn] {
                    3 => turns.end(turn),
                    number => turns.give(turn, (turn, number)),
                });
            }
            assert_eq!(due, [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (2, 2)], "{order:?}");
            assert!(turns.waiting.iter().all(|waiting| waiting.items.is_empty()));
        }
    }

    #[test]
    fn what_is_in_turn_is_not_kept() {
        let mut turns = Turns::new(2);
        assert_eq!(turns.give(0, "a"), ["a"]);
        assert_eq!(turns.give(1, "b"), [] as [&str; 0]);
        assert_eq!(turns.end(0), ["b"]);
        assert_eq!(turns.give(1, "c"), ["c"]);
        assert_eq!(turns.end(1), [] as [&str; 0]);
    }
}
