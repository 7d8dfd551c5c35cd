// The small Apple: its files follow.
