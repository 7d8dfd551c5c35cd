// Refunds: its files follow.
