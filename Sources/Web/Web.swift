// Web: its files follow.
