"""Mutations of several fields of the matrix."""
# ruff: noqa: E501 - documents, in the lines of which fields stay together

from __future__ import annotations

TRANSACTIONS: dict[str, str] = {
    "ref and dist": 'mutation { a: insertIntoCountryCollection(objects: [{ id: 70, name: "P" }]) { affectedCount } b: insertIntoAuthorCollection(objects: [{ tenantId: 1, id: 70, name: "x", countryId: 70 }]) { records { name country { name } } } }',
    "dist and ref": 'mutation { b: updateAuthorCollection(filter: { country: { code: { eq: "NO" } } }, set: { email: "q" }, atMost: 9) { affectedCount } a: updateCountryCollection(filter: { id: { eq: 1 } }, set: { code: "N2" }) { records { code } } }',
    "multi then ref": 'mutation { b: updateBookCollection(set: { stock: 1 }, atMost: 20) { affectedCount } a: updateCountryCollection(filter: { id: { eq: 1 } }, set: { code: "N2" }) { records { code } } }',
    "multi then nested": 'mutation { b: updateAuthorCollection(set: { email: null }, atMost: 20) { affectedCount } a: insertIntoBookCollection(objects: [{ id: 80, title: "N", author: { connect: { tenantIdAndId: { tenantId: 1, id: 1 } } } }]) { records { title author { name email } } } }',
    "ref then multi": 'mutation { a: updateCountryCollection(filter: { id: { eq: 1 } }, set: { code: "N2" }) { records { code } } b: updateAuthorCollection(filter: { country: { code: { eq: "N2" } } }, set: { email: null }, atMost: 20) { affectedCount } }',
    "two tenants in a transaction": "mutation { a: updateBookByKey(key: { tenantIdAndId: { tenantId: 1, id: 1 } }, set: { stock: 5 }) { stock } b: updateBookByKey(key: { tenantIdAndId: { tenantId: 2, id: 1 } }, set: { stock: 6 }) { stock } c: insertIntoSettingCollection(objects: [{ tenantId: 1 }]) { affectedCount } }",
    "insert and delete": "mutation { a: insertIntoReviewCollection(objects: [{ tenantId: 1, id: 70, bookId: 1, stars: 1 }]) { affectedCount } b: deleteFromReviewCollection(filter: { tenantId: { eq: 1 }, bookId: { eq: 1 } }, atMost: 5) { records { id stars } } }",
    "fails at most": "mutation { a: updateBookByKey(key: { tenantIdAndId: { tenantId: 1, id: 1 } }, set: { stock: 5 }) { stock } b: deleteFromReviewCollection(filter: { tenantId: { eq: 1 } }, atMost: 1) { affectedCount } }",
    "same upsert twice": 'mutation { a: insertIntoSettingCollection(objects: [{ tenantId: 1, quota: "5" }], onConflict: { constraint: setting_pkey, updateColumns: [quota] }) { records { quota } } b: insertIntoSettingCollection(objects: [{ tenantId: 1, quota: "1" }], onConflict: { constraint: setting_pkey, addColumns: [quota] }) { records { quota } } }',
    "memo and all": 'mutation { m: insertIntoMemoCollection(objects: [{ id: 70, body: "z" }]) { affectedCount } b: updateBookCollection(set: { stock: 1 }, atMost: 20) { affectedCount } x: deleteFromMemoCollection(filter: { id: { eq: 1 } }) { records { body } } }',
}
