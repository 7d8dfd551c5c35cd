/// An amount of thousandths of a currency unit, in words: 9990 USD is `9.99 USD`.
///
/// Integer arithmetic only. Digits that the currency does not usually show are kept where they are
/// not zero: nothing is rounded.
struct MoneyText {
    let milliunits: Int64
    let currency: String?

    var text: String {
        let (units, thousandths) = milliunits.magnitude.quotientAndRemainder(dividingBy: 1000)
        var digits = Array(String(thousandths + 1000).dropFirst())
        let shown = currency.map(Self.decimals) ?? 2
        while digits.count > shown, digits.last == "0" { digits.removeLast() }
        return (milliunits < 0 ? "-" : "") + Self.grouped(units) + (digits.isEmpty ? "" : "." + String(digits))
            + (currency.map { " " + $0 } ?? "")
    }

    var html: HTML { span(.class("money")) { text } }

    /// Groups of three, divided by blanks; style sheets keep them on one line.
    private static func grouped(_ number: UInt64) -> String {
        var out: [Character] = []
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { out.append(" ") }
            out.append(digit)
        }
        return String(out.reversed())
    }

    /// Decimals that a currency usually shows.
    static func decimals(of currency: String) -> Int { fewDecimals[currency] ?? 2 }

    /// Currencies whose unit has other than two decimals. Source: ISO 4217, list one.
    private static let fewDecimals: [String: Int] = [
        "BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0, "UGX": 0,
        "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
        "BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
    ]
}
