print("refund-desk")
