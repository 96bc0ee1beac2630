// Converts values between the text that people type and the API's JSON.

import { Failure } from "../http";
import type { ValueKind } from "./model";

const LONGEST = 300;
const FORMS: Record<string, RegExp> = { UUID: /^\{?[0-9a-f]{4}(?:-?[0-9a-f]{4}){7}\}?$/i, BigInt: /^[+-]?\d+$/ };
const FORM_NAMES: Record<string, string> = { UUID: "a UUID", BigInt: "a whole number" };

/** A value as one line of a cell. */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** A value as the text in its editor. */
export function editedText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The value of a typed text for a type of the API. Throws Failure for an invalid text. */
export function valueOf(text: string, kind: ValueKind, name: string): unknown {
  if (kind.isList) return list(text, kind, name);
  if (kind.type === "Boolean") return text === "true";
  const form = FORMS[kind.type];
  if (form && !form.test(text.trim())) throw new Failure(`${name} must be ${FORM_NAMES[kind.type]}, not “${shownValue(text)}”.`, "BAD_INPUT");
  if (kind.type === "Int" || kind.type === "Float") {
    const number = Number(text);
    if (text.trim() === "" || !Number.isFinite(number) || (kind.type === "Int" && !Number.isInteger(number))) {
      throw new Failure(`${name} must be ${kind.type === "Int" ? "a whole number" : "a number"}, not “${text}”.`, "BAD_INPUT");
    }
    return number;
  }
  return text;
}

function list(text: string, kind: ValueKind, name: string): unknown[] {
  const one = { ...kind, isList: false };
  if (!text.trim().startsWith("[")) {
    return text.split(",").map((each) => valueOf(each.trim(), one, name));
  }
  try {
    const found: unknown = JSON.parse(text);
    if (Array.isArray(found)) return found;
  } catch {
    // The Failure is thrown below.
  }
  throw new Failure(`${name} must be a list: values separated by commas, or a JSON array.`, "BAD_INPUT");
}
