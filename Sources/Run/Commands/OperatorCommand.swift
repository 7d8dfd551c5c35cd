import FoundationEssentials
import Journal
import Postgres
import Tenants
import Time

/// `refund-desk operator …`
enum OperatorCommand {
    static let add = Command(
        CommandForm(
            words: ["operator", "add"],
            options: [
                .required("email", "E", "who signs in"),
                .optional("tenant", "SLUG", "where; not with --installation"),
                .optional("role", "owner|admin|support|viewer", "what they may do there"),
                .flag("installation", "manages tenants and sees no case"),
                .flag("password-stdin", "sets the password that stands on the first line of standard input"),
            ],
            summary: "Lets a person in and prints a one-time sign-in link.")
    ) { arguments, surroundings in
        let usage = arguments.form.usage
        let role = try arguments.choice("role", as: Tenants.Role.self)
        let slug = arguments.optional("tenant")
        let isInstallation = arguments.has("installation")
        guard isInstallation ? slug == nil && role == nil : slug != nil && role != nil else {
            throw UsageError("either --tenant with --role, or --installation", usage: usage)
        }
        let password =
            arguments.has("password-stdin") ? try SecretFile.line(bytesMax: SignIn.passwordBytesMax * 2) : nil
        return try await House.open(surroundings) { house in
            // Before anything is written: a bad password must not leave half a person.
            if let password, !SignIn.isPassword(password) { throw SignInError.badPassword }
            var tenant: Tenant?
            if let slug { tenant = try await house.tenant(slug) }
            let place = tenant
            let person = try await house.database.transaction(.house) { tx in
                let now = house.clock.now
                let person = try await PersonStore.findOrAdd(email: arguments["email"], at: now, in: tx)
                if let place, let role {
                    try await PersonStore.addMember(person, of: place, role: role, at: now, by: .commandLine, in: tx)
                } else {
                    try await PersonStore.makeInstallation(person, in: tx)
                }
                return person
            }
            if let password { try await house.signIn.setPassword(password, of: person.id) }
            return try await link(for: person, in: house, text: "Added.")
        }
    }

    static let reset = Command(
        CommandForm(
            words: ["operator", "reset"], options: [.required("email", "E", "who signs in")],
            summary: "Prints a new one-time sign-in link; links from before end.")
    ) { arguments, surroundings in
        try await House.open(surroundings) { house in
            let person = try await house.database.transaction(.house) { tx in
                try await PersonStore.find(email: arguments["email"], in: tx)
            }
            guard let person else { throw PersonStoreError.noPerson }
            return try await link(for: person, in: house, text: "A new link.")
        }
    }

    private static func link(for person: Person, in house: House, text: String) async throws -> Answer {
        let token = try await house.database.transaction(.house) { tx in
            try await house.signIn.makeLink(for: person.id, in: tx)
        }
        let url = house.signInURL(token)
        return Answer(
            [
                ("id", .text(person.id.rawValue.uuidString.lowercased())), ("email", .text(person.email)),
                ("signInURL", .text(url)),
            ],
            text: """
                \(text) One-time sign-in link, good for 24 hours:
                \(url)
                """)
    }
}
