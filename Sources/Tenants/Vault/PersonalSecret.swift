package import Crypto
package import FoundationEssentials

/// A person's sealed secret: the shared secret of a code generator, bound to the person and the factor's id.
package enum PersonalSecret {
    package struct Sealed: Sendable {
        package let bytes: [UInt8]
        /// For the column `master_key_id`, by which a rotation finds it.
        package let masterKeyID: [UInt8]
    }

    /// Throws `VaultError.noMasterKey`.
    package static func seal(
        _ secret: borrowing SecretBytes, of person: PersonID, factor: UUID, with keyring: MasterKeyring
    ) throws -> Sealed {
        guard let master = keyring.newest else { throw VaultError.noMasterKey }
        let sealed = try Envelope.seal(secret, bound: binding(person, factor), with: master)
        return Sealed(bytes: sealed, masterKeyID: master.id)
    }

    /// Throws `VaultError.factorUnreadable`.
    package static func open(
        _ sealed: [UInt8], of person: PersonID, factor: UUID, with keyring: MasterKeyring
    ) throws(VaultError) -> SecretBytes {
        do throws(EnvelopeError) {
            return try Envelope.open(sealed, bound: binding(person, factor), with: keyring)
        } catch {
            throw .factorUnreadable(factor, VaultError.trouble(error))
        }
    }

    static func binding(_ person: PersonID, _ factor: UUID) -> SecretBinding {
        SecretBinding(owner: .person(person), secret: factor, kind: .totp)
    }
}
