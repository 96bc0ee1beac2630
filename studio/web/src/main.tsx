import { createRoot } from "react-dom/client";
import { App } from "./app";
import { SessionProvider } from "./session";
import "./styles/theme.css";
import "./styles/controls.css";
import "./styles/shell.css";

createRoot(document.getElementById("root")!).render(
  <SessionProvider>
    <App />
  </SessionProvider>,
);
