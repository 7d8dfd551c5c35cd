// Tenants: its files follow.
