// Queue: its files follow.
