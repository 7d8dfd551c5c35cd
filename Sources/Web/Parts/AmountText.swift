import Refunds

/// An amount that somebody typed, read strictly: nothing is rounded, completed or guessed.
struct AmountText {
    let text: String
    let currency: String

    init(_ text: String, _ currency: String) {
        self.text = text
        self.currency = currency
    }

    enum Reading: Equatable {
        case milliunits(Int64)
        /// Says what to write instead.
        case wrong(String)
    }

    /// Decimals that people write in a currency: Apple's where it lists the currency, else those of ISO 4217.
    var decimals: Int { CurrencyDecimals.decimals(of: currency) ?? MoneyText.decimals(of: currency) }

    /// `12.50`: an amount as it is to be written.
    var example: String {
        switch decimals {
        case 0: "1250"
        case 3: "12.500"
        default: "12.50"
        }
    }

    var reading: Reading {
        let marks = text.filter { $0 == "." || $0 == "," }.count
        guard marks <= 1, let milliunits = CurrencyDecimals.milliunits(text) else {
            return .wrong("Write the amount with digits only, such as \(example).")
        }
        let written = text.firstIndex { $0 == "." || $0 == "," }.map { text[text.index(after: $0)...].count } ?? 0
        if decimals == 0, marks > 0 { return .wrong("\(currency) has no decimals: write a whole number.") }
        if written > decimals {
            return .wrong("\(currency) has \(decimals) decimals: write the amount as in \(example).")
        }
        // Half of the world would read a thousand.
        if written == 3, text.contains(",") {
            return .wrong("Write the decimals behind a point: \(text) could be read as a whole number.")
        }
        return .milliunits(milliunits)
    }
}
