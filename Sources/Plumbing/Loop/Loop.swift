// Loop: its files follow.
