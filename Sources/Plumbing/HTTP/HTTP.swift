// HTTP: its files follow.
