// The frame of the page: navigation, the caller switch, and the view.

import { Component, lazy, Suspense, useEffect, useState, type ReactNode } from "react";
import { CallerSwitch, KeyForm } from "./callers";
import { send } from "./http";
import { addressOf, follow, go, usePlace } from "./router";
import { useSession, type Session } from "./session";
import { Arch, Icon, type IconName } from "./ui/icons";
import { FailureNotice, Notice, Waiting } from "./ui/parts";

/** The code of a view could not be loaded: the service does not answer, or now has another version of the page. */
class Unloaded extends Error {}

const viewOf = (load: () => Promise<{ default: React.ComponentType }>) =>
  lazy(() =>
    load().catch((error: unknown) => {
      throw new Unloaded(String(error));
    }),
  );

const VIEWS: { id: string; name: string; icon: IconName; view: React.ComponentType; isFor?: (session: Session) => boolean }[] = [
  { id: "explore", name: "Explore", icon: "explore", view: viewOf(() => import("./explore/explore")) },
  { id: "data", name: "Data", icon: "data", view: viewOf(() => import("./data/data")) },
  { id: "schema", name: "Schema", icon: "schema", view: viewOf(() => import("./schema/schema")) },
  { id: "access", name: "Access", icon: "access", view: viewOf(() => import("./access/access")) },
  { id: "sql", name: "SQL", icon: "sql", view: viewOf(() => import("./sql/sql")), isFor: (session) => session.canRunSql },
  { id: "storage", name: "Storage", icon: "storage", view: viewOf(() => import("./storage/storage")) },
  { id: "users", name: "Users", icon: "users", view: viewOf(() => import("./users/users")), isFor: (session) => session.signIn },
  { id: "service", name: "Service", icon: "service", view: viewOf(() => import("./service/service")) },
];

export function App() {
  const { session, failure, caller, retry } = useSession();
  const { view } = usePlace();
  const views = VIEWS.filter((each) => !session || !each.isFor || each.isFor(session));
  const shown = views.find((each) => each.id === view);
  useEffect(() => {
    if (session && !shown) go(addressOf(VIEWS[0]!.id), true);
    document.title = shown ? `${shown.name} · Portico Studio` : "Portico Studio";
  }, [session, shown]);
  if (!session) {
    return (
      <main className="welcome">
        <h1>Portico Studio</h1>
        {failure ? <FailureNotice failure={failure} again={retry} /> : <Waiting what="the service" />}
      </main>
    );
  }
  if (!caller) return <Welcome />;
  return (
    <div className="shell">
      <button className="skip" onClick={skip}>
        Skip to content
      </button>
      <nav aria-label="Views">
        <a className="brand" href={addressOf("explore")} onClick={follow}>
          <Arch /> Portico Studio
        </a>
        {views.map((each) => (
          <a key={each.id} className="place" href={addressOf(each.id)} onClick={follow} aria-current={each === shown ? "page" : undefined}>
            <Icon name={each.icon} /> {each.name}
          </a>
        ))}
      </nav>
      <header>
        <h1 className="ellipsis">{shown?.name ?? "Portico Studio"}</h1>
        {session.development && <span className="badge warn only-wide">Development</span>}
        <ThemeButton />
        <CallerSwitch />
      </header>
      <main>
        {/* A view is created again for another caller, so that it shows nothing of the previous caller. Users shows nothing of callers. */}
        <Fallible key={shown?.id === "users" ? shown.id : `${shown?.id} ${caller.id}`}>
          <Suspense fallback={<Waiting what="the view" />}>{shown && <shown.view />}</Suspense>
        </Fallible>
      </main>
    </div>
  );
}

/** Moves the focus to the view's content, past the navigation and a list that may have hundreds of entries. */
function skip() {
  const view = document.querySelector<HTMLElement>("main .split > .grow") ?? document.querySelector("main")!;
  view.tabIndex = -1;
  view.focus();
}

function Welcome() {
  const { session } = useSession();
  return (
    <main className="welcome">
      <h1>Portico Studio</h1>
      {session?.development && (
        <Notice tone="warn" title="Open the address that the service printed">
          <p>
            This is a development service. Its last line in the terminal is <code>Portico Studio, in a browser: {location.origin}/studio#start=…</code>
            If you open that address on the same machine, this page gets the keys, and this browser remembers the address.
          </p>
        </Notice>
      )}
      <p>Like any client, this page needs keys to use the service. Enter them here.</p>
      <div className="card">
        <KeyForm />
      </div>
      <Notice tone="info" title="Where to find the keys">
        <p>
          <code>portico keys</code> printed them: ANON_KEY and SERVICE_ROLE_KEY. A service with <code>--demo</code> or{" "}
          <code>DEVELOPMENT=on</code> gives them to a browser on its own machine that opens the printed address.
        </p>
      </Notice>
    </main>
  );
}

const THEMES = ["", "light", "dark"] as const;
const THEME_NAMES = { "": "system", light: "light", dark: "dark" };

function ThemeButton() {
  const [theme, setTheme] = useState<(typeof THEMES)[number]>(() => (localStorage.getItem("portico-theme") as "light") ?? "");
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
    localStorage.setItem("portico-theme", theme);
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  return (
    <button className="plain" onClick={() => setTheme(next)} aria-label={`Theme: ${THEME_NAMES[theme]}. Change to ${THEME_NAMES[next]}`} title={`Theme: ${THEME_NAMES[theme]}`}>
      <Icon name="theme" />
    </button>
  );
}

class Fallible extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null };
  static getDerivedStateFromError(error: Error) {
    return { error };
  }
  override render() {
    if (!this.state.error) return this.props.children;
    if (this.state.error instanceof Unloaded) return <NotLoaded />;
    return (
      <div className="padded">
        <Notice tone="bad" title="This view failed.">
          <p>{this.state.error.message}</p>
          <div className="row">
            <button onClick={() => this.setState({ error: null })}>Try again</button>
          </div>
        </Notice>
      </div>
    );
  }
}

/** A browser may cache the failure of an import, so the page is reloaded as soon as the service answers. */
function NotLoaded() {
  useEffect(() => {
    const timer = window.setInterval(() => send("/health").then(() => location.reload(), () => {}), 3000);
    return () => window.clearInterval(timer);
  }, []);
  return (
    <div className="padded">
      <Notice tone="bad" title="This view could not be loaded.">
        <p>The service does not answer, or now has another version. The page is reloaded when the service answers.</p>
      </Notice>
    </div>
  );
}
