// The text of the SQL editor, stored for this tab of the browser.

import { useEffect, useState } from "react";
import { read, write } from "../explore/kept";

const DRAFT = "portico-sql";

/** Let the view SQL show a text when it is opened next. */
export function showInSql(text: string) {
  write(DRAFT, text);
}

export function useDraft(first: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => read(DRAFT, first));
  useEffect(() => write(DRAFT, text), [text]);
  return [text, setText];
}

/** The name of a text in the history: its first line that is not a comment. */
export function firstLine(text: string): string {
  const line = text.split("\n").find((each) => each.trim() && !each.trim().startsWith("--"));
  return line?.trim().slice(0, 80) ?? "Empty";
}
