// Support: its files follow.
