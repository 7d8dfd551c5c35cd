// Crypto: its files follow.
