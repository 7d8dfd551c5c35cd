import AppStore

/// Reads policies as people write them.
///
///     # One rule a line; the first that fits decides.
///     if reason is LEGAL then prefer GRANT_FULL
///     if price at least 50 EUR and use is unknown then ask a person, else send facts only
///     otherwise send facts only
package enum PolicyText {
    /// What is wrong with a line, and what would be right.
    package struct Trouble: Error, Sendable, Hashable {
        /// From 1.
        package let line: Int
        package let text: String
    }

    package static let bytesMax = 32 * 1024
    package static let rulesMax = 200

    /// - Returns: the policy, or everything that is wrong with the text, line by line.
    package static func read(_ text: String) -> Result<Policy, Troubles> {
        var troubles: [Trouble] = []
        var rules: [PolicyRule] = []
        var end: Int?
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        if text.utf8.count > bytesMax {
            troubles.append(Trouble(line: 1, text: "A policy has at most 32 KiB of text."))
        }
        for (index, line) in lines.enumerated() where troubles.count < 20 {
            let number = index + 1
            guard Text.isPlain(String(line)) else {
                // Behind it another word may stand than the one that is seen: the rule would never fit, or too often.
                troubles.append(Trouble(line: number, text: "This line \(Text.notPlain)."))
                continue
            }
            var words = Words(line)
            if words.isAtEnd || words.startsComment { continue }
            do throws(Wrong) {
                if let end { throw Wrong("Nothing comes after \"otherwise\", which stands in line \(end).") }
                let rule = try words.rule(number: rules.count + 1)
                if rule.conditions.isEmpty { end = number }
                rules.append(rule)
            } catch {
                troubles.append(Trouble(line: number, text: error.text))
            }
        }
        if rules.count > rulesMax { troubles.append(Trouble(line: 1, text: "A policy has at most 200 rules.")) }
        if end == nil, troubles.isEmpty {
            troubles.append(
                Trouble(
                    line: max(1, lines.count),
                    text: "The last rule says what is done with everything else: write \"otherwise send facts only\"."))
        }
        return troubles.isEmpty ? .success(Policy(rules: rules)) : .failure(Troubles(all: troubles))
    }

    package struct Troubles: Error, Sendable, Hashable {
        package let all: [Trouble]
    }

    struct Wrong: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }
}

extension PolicyText {
    /// The words of one line, read from the left.
    private struct Words {
        private var rest: ArraySlice<Substring>

        init(_ line: Substring) {
            // A comma may stand wherever people put one.
            rest = line.split { $0.isWhitespace || $0 == "," }[...]
        }

        var isAtEnd: Bool { rest.isEmpty }
        var startsComment: Bool { rest.first?.hasPrefix("#") ?? false }

        private mutating func take(_ words: String...) -> Bool {
            guard rest.prefix(words.count).map({ $0.lowercased() }) == words else { return false }
            rest = rest.dropFirst(words.count)
            return true
        }

        private mutating func next(_ what: String) throws(Wrong) -> String {
            guard let word = rest.popFirst() else { throw Wrong("The line ends where \(what) is expected.") }
            return String(word)
        }

        mutating func rule(number: Int) throws(Wrong) -> PolicyRule {
            var conditions: [PolicyCondition] = []
            if !take("otherwise") {
                guard take("if") else {
                    throw Wrong("A line begins with \"if\", \"otherwise\" or \"#\".")
                }
                repeat { conditions.append(try condition()) } while take("and")
                guard take("then") else {
                    let found = rest.first.map { "\"\($0)\"" } ?? "the end of the line"
                    throw Wrong("After a condition comes \"and\", \"or\" or \"then\"; here is \(found).")
                }
            }
            let action = try action(isFallback: false)
            guard rest.isEmpty else {
                throw Wrong("After the action stands \"\(rest.joined(separator: " "))\", which says nothing.")
            }
            return PolicyRule(number, conditions, action)
        }

        private mutating func condition() throws(Wrong) -> PolicyCondition {
            let name = try next("a condition").lowercased()
            let (word, size) = (PolicyCondition.Word(rawValue: name), PolicyCondition.Size(rawValue: name))
            if take("is"), let word {
                let isNot = take("not")
                var allowed: [String] = []
                repeat { allowed.append(try value(of: word)) } while take("or")
                return .word(word, isNot: isNot, allowed)
            }
            if let size {
                if take("at", "least") { return .size(size, isBelow: false, try quantity(of: size)) }
                if take("below") { return .size(size, isBelow: true, try quantity(of: size)) }
            }
            guard word != nil || size != nil else {
                let names = Set(
                    PolicyCondition.Word.allCases.map(\.rawValue) + PolicyCondition.Size.allCases.map(\.rawValue))
                throw Wrong(
                    "\"\(name)\" is nothing a rule can look at. It can look at \(names.sorted().joined(separator: ", "))."
                )
            }
            var forms: [String] = []
            if word != nil { forms.append("\"\(name) is …\"") }
            if size != nil { forms.append("\"\(name) at least …\" or \"\(name) below …\"") }
            throw Wrong("After \"\(name)\" write \(forms.joined(separator: ", or ")).")
        }

        private mutating func value(of word: PolicyCondition.Word) throws(Wrong) -> String {
            let text = try next("a value of \(word.rawValue)")
            switch word {
            case .currency, .storefront:
                let upper = text.uppercased()
                guard upper.utf8.count == 3, upper.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
                    let example = word == .currency ? "EUR" : "USA"
                    throw Wrong("A \(word.rawValue) has three letters, such as \(example); here is \"\(text)\".")
                }
                return upper
            case .product:
                guard text.utf8.count <= 255, !text.dropLast().contains("*") else {
                    throw Wrong("A star may stand at the end of a product identifier and nowhere else.")
                }
                return text
            case .reason, .type, .environment, .delivery, .use, .offer, .customer:
                let known = word.known ?? []
                if let found = known.first(where: { $0.lowercased() == text.lowercased() }) { return found }
                // A reason that Apple adds later is written in Apple's letters.
                if word == .reason, text.utf8.count <= 100, text == text.uppercased() { return text }
                throw Wrong("\"\(text)\" is no \(word.rawValue). There are \(known.joined(separator: ", ")).")
            }
        }

        private mutating func quantity(of size: PolicyCondition.Size) throws(Wrong) -> PolicyQuantity {
            let text = try next("a number")
            switch size.unit {
            case .money:
                let currency = try next("the amount's currency").uppercased()
                guard let number = CurrencyDecimals.milliunits(text), currency.utf8.count == 3,
                    currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) })
                else { throw Wrong("An amount is written as 50.00 EUR; here is \"\(text) \(currency)\".") }
                return PolicyQuantity(number: number, unit: .money, currency: currency)
            case .share:
                guard text.hasSuffix("%"), let number = CurrencyDecimals.milliunits(String(text.dropLast())),
                    number <= 100_000
                else { throw Wrong("A share is written as 50%, from 0% to 100%; here is \"\(text)\".") }
                return PolicyQuantity(number: number, unit: .share, currency: nil)
            case .duration:
                let unit = try next("minutes, hours or days").lowercased()
                guard let count = Int64(text), (0...36500).contains(count),
                    let size = PolicyQuantity.durations.first(where: { unit == $0.name || unit == $0.name + "s" })
                else {
                    throw Wrong("A time is written as 48 hours, 30 minutes or 14 days; here is \"\(text) \(unit)\".")
                }
                return PolicyQuantity(number: count * size.milliseconds, unit: .duration, currency: nil)
            case .count:
                guard let count = Int64(text), (0...1_000_000).contains(count) else {
                    throw Wrong("A whole number is expected; here is \"\(text)\".")
                }
                return PolicyQuantity(number: count, unit: .count, currency: nil)
            }
        }

        private mutating func action(isFallback: Bool) throws(Wrong) -> PolicyAction {
            if take("prefer") {
                let text = try next("DECLINE, GRANT_FULL or GRANT_PRORATED")
                guard let preference = Decision.Preference(rawValue: text.uppercased()) else {
                    throw Wrong("\"\(text)\" is no preference. There are DECLINE, GRANT_FULL and GRANT_PRORATED.")
                }
                return .prefer(preference)
            }
            if take("send", "facts", "only") { return .factsOnly }
            if take("send", "nothing", "until", "delivery", "is", "reported") { return .withhold(.deliveryUnreported) }
            if take("send", "nothing") { return .withhold(.policy) }
            if !isFallback, take("ask", "a", "person") {
                guard take("else") else {
                    throw Wrong("Say what is sent if nobody answers in time: \"ask a person, else send facts only\".")
                }
                return .hold(otherwise: try action(isFallback: true))
            }
            throw Wrong(
                "An action is \"prefer DECLINE\" (or GRANT_FULL, GRANT_PRORATED), \"send facts only\", \"send nothing\", \"send nothing until delivery is reported\""
                    + (isFallback ? "." : " or \"ask a person, else …\"."))
        }
    }
}
