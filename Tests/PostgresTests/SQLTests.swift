import Postgres
import Testing

@Suite struct `an interpolated statement` {
    @Test func `every value is a bind, numbered in its order`() {
        let sql: SQL = "select \(1) where a = \("x") and b = \(nil as Int64?)"
        #expect(sql.text == "select $1 where a = $2 and b = $3")
        #expect(sql.values.count == 3)
    }

    @Test func `statements nest and their binds are numbered anew`() {
        let condition: SQL = "tenant_id = \(7 as Int64)"
        let sql: SQL = "select \(1) from t where \(condition) limit \(2)"
        #expect(sql.text == "select $1 from t where tenant_id = $2 limit $3")
    }

    @Test func `parts are joined`() {
        let parts: [SQL] = ["a = \(1)", "b = \(2)", "c"]
        #expect(SQL.joined(parts, by: " and ").text == "a = $1 and b = $2 and c")
        #expect(SQL.joined([], by: ", ").text == "")
    }

    @Test func `raw text is the programmer's own`() {
        let sql: SQL = "select x from t order by \(raw: "x desc")"
        #expect(sql.text == "select x from t order by x desc")
    }

    @Test func `its description shows no value`() {
        let sql: SQL = "select \("secret")"
        #expect("\(sql)" == "select $1")
    }
}
