// Gateway: its files follow.
