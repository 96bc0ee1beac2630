// Runs SQL through the page's own endpoint, which exists only in development.

import { announceSchemaChange } from "../changes";
import { ask } from "../http";

export interface SqlResult {
  tag: string;
  columns: string[] | null;
  rows: (string | null)[][];
  is_partial: boolean;
}

export interface SqlFailure {
  diagnosis: { sqlstate: string; message: string; detail: string; hint: string; where: string };
  /** The place of a character in the text, the first being 1, if it is known. */
  position: number | null;
}

export interface SqlOutcome {
  results: SqlResult[];
  notices: string[];
  failure: SqlFailure | null;
  was_open: boolean;
  milliseconds: number;
  rowLimit: number;
}

/** Whose rights the text has: a role's, with claims for auth.uid(), or the login's. */
export interface RunsAs {
  role: string | null;
  claims?: Record<string, unknown>;
}

const LEAVES_SCHEMA = /^(?:SELECT|INSERT|UPDATE|DELETE|MERGE|SHOW|SET|RESET|EXPLAIN|FETCH|BEGIN|COMMIT|ROLLBACK|COPY|VALUES)\b/;

export async function runSql(sql: string, { role, claims }: RunsAs): Promise<SqlOutcome> {
  const outcome = await ask<SqlOutcome>("sql", undefined, { sql, role, claims: claims ?? null });
  // A function that a SELECT calls may change the schema too; the buttons Refresh are for that.
  if (outcome.results.some((each) => !LEAVES_SCHEMA.test(each.tag))) announceSchemaChange();
  return outcome;
}

/** The place of a failure as an offset in the text. PostgreSQL counts characters, and JavaScript units of UTF-16. */
export function offsetOf(text: string, position: number): number {
  let offset = 0;
  for (const character of text) {
    if (--position < 1) break;
    offset += character.length;
  }
  return offset;
}

/** The line and the column of an offset, the first being 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: [...before.at(-1)!].length + 1 };
}
