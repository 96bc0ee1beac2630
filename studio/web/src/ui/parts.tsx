// Small parts that all views share.

import { useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import type { Failure } from "../http";
import { Icon, type IconName } from "./icons";

export type Tone = "good" | "warn" | "bad" | "info";

export function Notice({ tone, title, children }: { tone: Tone; title?: string; children?: ReactNode }) {
  return (
    <div className={`notice tone-${tone}`} role={tone === "bad" ? "alert" : "status"}>
      {title && <strong>{title}</strong>}
      {typeof children === "string" ? <p>{children}</p> : children}
    </div>
  );
}

export function FailureNotice({ failure, again }: { failure: Failure; again?: () => void }) {
  return (
    <Notice tone="bad" title={failure.message}>
      {failure.hint && <p>{failure.hint}</p>}
      <div className="row">
        {failure.code && <code>{failure.code}</code>}
        {again && (
          <button onClick={again}>
            <Icon name="again" /> Try again
          </button>
        )}
      </div>
    </Notice>
  );
}

export function Blank({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="blank">
      <Icon name={icon} />
      <h2>{title}</h2>
      {typeof children === "string" ? <p>{children}</p> : children}
    </div>
  );
}

export function Waiting({ what }: { what: string }) {
  return (
    <div className="waiting" role="status">
      <span className="visually-hidden">Loading {what}</span>
      <i />
      <i />
      <i />
    </div>
  );
}

/** A `ref` for the element that gets the focus first in a dialog. React's autoFocus runs before the dialog is open, without
 * effect. */
export const focusedFirst = (node: HTMLElement | null) => node?.setAttribute("autofocus", "");

/** A dialog that is open as long as it is rendered. Escape and the backdrop close it; the focus returns to where it was. */
export function Dialog({ title, close, side, children }: { title: string; close: () => void; side?: boolean; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const shown = dialog.current!;
    shown.showModal();
    return () => shown.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={side ? "side fades" : "fades"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => event.target === dialog.current && close()}
    >
      <div className="title">
        <h2 id={id}>{title}</h2>
        <button className="plain" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <div className="inside">{children}</div>
    </dialog>
  );
}

export interface Tab {
  id: string;
  label: ReactNode;
}

/** Tabs with arrow keys. The parent renders the chosen tab's content, in a Panel of the same name. */
export function Tabs({ name, label, tabs, chosen, choose }: { name: string; label: string; tabs: Tab[]; chosen: string; choose: (id: string) => void }) {
  const move = (event: React.KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = tabs.findIndex((each) => each.id === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length]!;
    choose(next.id);
    document.getElementById(`${name}-tab-${next.id}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map((each) => (
        <button
          key={each.id}
          role="tab"
          type="button"
          id={`${name}-tab-${each.id}`}
          aria-selected={each.id === chosen}
          aria-controls={`${name}-panel`}
          tabIndex={each.id === chosen ? 0 : -1}
          onClick={() => choose(each.id)}
        >
          {each.label}
        </button>
      ))}
    </div>
  );
}

export function Panel({ name, chosen, className, children }: { name: string; chosen: string; className?: string; children: ReactNode }) {
  return (
    <div role="tabpanel" id={`${name}-panel`} aria-labelledby={`${name}-tab-${chosen}`} className={className} tabIndex={0}>
      {children}
    </div>
  );
}

export function Copy({ text, what }: { text: string; what: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text).then(
      () => setDone(true),
      () => setDone(false),
    );
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <button className="plain small" onClick={copy} aria-label={`Copy ${what}`}>
      {done ? "Copied" : "Copy"}
    </button>
  );
}

export function Sql({ text, what = "the statement" }: { text: string; what?: string }) {
  return (
    <div>
      <pre className="sql" tabIndex={0} aria-label={what}>
        {text}
      </pre>
      <Copy text={text} what={what} />
    </div>
  );
}

export const count = new Intl.NumberFormat("en");
export const plural = (n: number, one: string, many = one + "s") => `${count.format(n)} ${n === 1 ? one : many}`;
export const bytes = (n: number) => (n < 1024 ? `${n} B` : n < 1024 ** 2 ? `${(n / 1024).toFixed(1)} KB` : `${(n / 1024 ** 2).toFixed(1)} MB`);
export const duration = (ms: number) => (ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(2)} s`);
