// An editor for GraphQL, JSON or another language: CodeMirror, with the language service of the GraphiQL project for
// documents.

import { autocompletion, type Completion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { graphql, updateSchema } from "cm6-graphql";
import type { GraphQLSchema } from "graphql";
import { useEffect, useRef, useState } from "react";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="portico-style"]')?.content ?? "";

/** When text is typed over a selection, Chromium inserts a span with a style, which the content security policy refuses. So
 * the editor replaces the selection itself. */
const typeOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const selection = document.getSelection();
    const text = event.data;
    if (event.inputType !== "insertText" || text === null || !selection || selection.isCollapsed || view.composing) return false;
    const range = selection.getRangeAt(0);
    const from = view.posAtDOM(range.startContainer, range.startOffset);
    const to = view.posAtDOM(range.endContainer, range.endOffset);
    const insert = () => view.state.update({ changes: { from, to, insert: text }, selection: { anchor: from + text.length }, userEvent: "input.type", scrollIntoView: true });
    if (!view.state.facet(EditorView.inputHandler).some((each) => each(view, from, to, text, insert))) view.dispatch(insert());
    return true;
  },
});

/** Among completions that fit equally well, fields of rows come first, which visitors look for most. */
function collectionsFirst(a: Completion, b: Completion): number {
  const [first, second] = [a, b].map((each) => Number(each.label.endsWith("Collection")));
  return second! - first! || a.label.localeCompare(b.label);
}

interface Given {
  label: string;
  text: string;
  change?: (text: string) => void;
  language: "graphql" | "json" | Extension;
  schema?: GraphQLSchema;
  run?: () => void;
  showInDocs?: (type?: string) => void;
  hint?: string;
  mark?: Mark | null;
}

/** A message at a place in the text. */
export interface Mark {
  from: number;
  to: number;
  message: string;
}

export function Editor({ label, text, change, language, schema, run, showInDocs, hint, mark }: Given) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const [slot] = useState(() => new Compartment());
  const own = typeof language === "string" ? null : language;
  const latest = useRef({ change, run, showInDocs });
  latest.current = { change, run, showInDocs };

  useEffect(() => {
    const made = new EditorView({
      parent: place.current!,
      state: EditorState.create({ doc: text, extensions: extensions() }),
    });
    view.current = made;
    if (language === "graphql" && schema) updateSchema(made, schema);
    return () => made.destroy();

    function extensions(): Extension[] {
      const shared = [
        EditorView.cspNonce.of(nonce),
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.lineWrapping,
        drawSelection(),
        bracketMatching(),
        foldGutter(),
        syntaxHighlighting(classHighlighter),
        slot.of(own ?? (language === "graphql" ? graphql(undefined, { onShowInDocs: (_field, type) => latest.current.showInDocs?.(type) }) : json())),
      ];
      if (!change) return [...shared, EditorState.readOnly.of(true), keymap.of([...foldKeymap, ...defaultKeymap])];
      return [
        keymap.of([{ key: "Mod-Enter", run: () => (latest.current.run?.(), true) }]),
        ...shared,
        lineNumbers(),
        history(),
        indentOnInput(),
        closeBrackets(),
        autocompletion({ compareCompletions: collectionsFirst }),
        typeOver,
        placeholder(hint ?? ""),
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...foldKeymap, ...defaultKeymap]),
        EditorView.updateListener.of((update) => update.docChanged && latest.current.change?.(update.state.doc.toString())),
      ];
    }
    // The editor is created once; the effects below change its content.
  }, []);

  useEffect(() => {
    const shown = view.current;
    if (shown && shown.state.doc.toString() !== text) {
      shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: text } });
    }
  }, [text]);

  useEffect(() => {
    if (view.current && language === "graphql" && schema) updateSchema(view.current, schema);
  }, [schema]);

  useEffect(() => {
    if (own) view.current?.dispatch({ effects: slot.reconfigure(own) });
  }, [own]);

  useEffect(() => {
    if (view.current && mark !== undefined) view.current.dispatch(setDiagnostics(view.current.state, mark ? [{ ...mark, severity: "error" }] : []));
  }, [mark]);

  return <div ref={place} className="editor" />;
}
