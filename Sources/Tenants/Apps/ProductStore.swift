package import Postgres
package import Time

/// What a product says where nobody reported anything; it goes before the app's own setting.
package struct ProductSetting: Hashable, Sendable {
    package let productID: String
    /// Whether customers can try the content before they buy; nil: the app's setting speaks.
    package var sampleContent: Bool?
    /// How use is reckoned where no share is reported; nil: it is not.
    package var model: ConsumptionModel?

    package init(productID: String, sampleContent: Bool? = nil, model: ConsumptionModel? = nil) {
        self.productID = productID
        self.sampleContent = sampleContent
        self.model = model
    }

    fileprivate var saysNothing: Bool { sampleContent == nil && model == nil }
}

/// Settings of single products of an app.
package enum ProductStore {
    /// Products with settings of their own, of one app.
    package static let productsMax = 1000

    /// The app's products that have settings of their own, in the order of their ids.
    package static func all(of app: App, in tx: Transaction) async throws -> [ProductSetting] {
        try await tx.rows(
            """
            select product_id, sample_content, use_model, use_days
            from tenants.products
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
            order by product_id
            limit \(productsMax)
            """
        ).map { try ProductSetting(productID: $0("product_id"), $0) }
    }

    /// What one product says; at most one row, for `ProductSetting`.
    package static func lookUp(_ productID: String, of app: App) -> SQL {
        """
        select sample_content, use_model, use_days
        from tenants.products
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and product_id = \(productID)
        """
    }

    /// Sets all that a product says, or takes it back with a setting that says nothing; audited.
    ///
    /// Throws `AppChangeError` naming `productID`.
    package static func set(
        _ setting: ProductSetting, of app: App, by actor: AuditEntry.Actor, address: String? = nil, at now: Moment,
        in tx: Transaction
    ) async throws {
        try await change(setting.productID, of: app, by: actor, address: address, at: now, in: tx) { $0 = setting }
    }

    /// Changes a part of what a product says; audited.
    ///
    /// Throws `AppChangeError` naming `productID`.
    package static func change(
        _ id: String, of app: App, by actor: AuditEntry.Actor, address: String? = nil, at now: Moment,
        in tx: Transaction, _ change: (inout ProductSetting) -> Void
    ) async throws {
        guard (1...255).contains(id.utf8.count), id.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F })
        else { throw AppChangeError("productID", "has 1 to 255 bytes, without spaces and control characters") }
        let (tenant, number) = (app.tenant.rawValue, app.id.rawValue)
        // Products of one app are changed one after the other: the limit is counted under this lock.
        _ = try await tx.row(
            "select 1 as one from tenants.apps where tenant_id = \(tenant) and app_id = \(number) for update")
        let known = try await tx.row(lookUp(id, of: app))
        let before = try known.map { try ProductSetting(productID: id, $0) } ?? ProductSetting(productID: id)
        var setting = before
        change(&setting)
        guard before != setting else { return }
        if !setting.saysNothing {
            let count: Int64 =
                try await tx.row(
                    "select count(*) as n from tenants.products where tenant_id = \(tenant) and app_id = \(number)")?(
                    "n") ?? 0
            guard known != nil || count < Int64(productsMax) else {
                throw AppChangeError("productID", "is one too many: \(productsMax) products can have settings")
            }
            try await tx.execute(
                """
                insert into tenants.products (tenant_id, app_id, product_id, sample_content, use_model, use_days)
                values (\(tenant), \(number), \(id), \(setting.sampleContent), \(setting.model?.word),
                  \(setting.model?.days.map(Int32.init)))
                on conflict (tenant_id, app_id, product_id) do update
                  set sample_content = excluded.sample_content, use_model = excluded.use_model,
                    use_days = excluded.use_days
                """)
        } else {
            try await tx.execute(
                """
                delete from tenants.products
                where tenant_id = \(tenant) and app_id = \(number) and product_id = \(id)
                """)
        }
        try await Audit.write(
            AuditEntry(
                tenant: app.tenant, at: now, actor: actor, address: address, action: "product.changed",
                subject: "\(app.id)",
                detail: [
                    "productId": .text(id), "sampleContent.before": before.sampleContent.map { .flag($0) } ?? .none,
                    "sampleContent.after": setting.sampleContent.map { .flag($0) } ?? .none,
                    "model.before": before.model.map { .text($0.text) } ?? .none,
                    "model.after": setting.model.map { .text($0.text) } ?? .none,
                ]),
            in: tx)
    }
}

extension ProductSetting {
    /// From a row of `ProductStore.lookUp`.
    package init(productID: String, _ row: Row) throws(PostgresError) {
        let word: String? = try row("use_model")
        let days: Int32? = try row("use_days")
        self.init(
            productID: productID, sampleContent: try row("sample_content"),
            model: word.flatMap { ConsumptionModel(word: $0, days: days.map(Int.init)) })
    }
}
