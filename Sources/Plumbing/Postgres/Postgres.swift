// Postgres: its files follow.
