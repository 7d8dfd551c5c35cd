print("app-store-simulator")
