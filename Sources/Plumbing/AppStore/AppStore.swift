// AppStore: its files follow.
