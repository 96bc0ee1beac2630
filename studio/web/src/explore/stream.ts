// Live queries over Server-Sent Events: the service sends an answer, and a new one whenever it has changed.

import { createClient } from "graphql-sse";
import { Failure, headersOf, type Answer, type Credentials, type Operation } from "../http";

/** The address of live queries: that of the API, at which `portico serve --live` serves them. */
const STREAM = "/graphql/v1/stream";
const ABSENT = "Start the service with --live, which needs the extra live: pip install 'portico-api[live]'.";

interface Heard {
  answer: (answer: Answer) => void;
  failed: (failure: Failure) => void;
  ended: () => void;
}

const LONGEST_WAIT_MS = 30_000;

/** Open a stream; returns the function that closes it. It is opened again if the connection is lost, but not after a
 * refusal. */
export function openStream(operation: Operation, by: Credentials, headers: Record<string, string>, { answer, failed, ended }: Heard): () => void {
  let response: Response | undefined;
  const client = createClient({
    url: STREAM,
    headers: { ...headersOf(by), ...headers },
    credentials: "omit",
    fetchFn: async (url: string, init: RequestInit) => (response = await fetch(url, init)),
    retryAttempts: Infinity,
    retry: async (attempt) => {
      if (response && response.status >= 400 && response.status < 500) throw await refusalOf(response);
      await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_WAIT_MS, 1000 * 2 ** attempt)));
    },
  });
  const stop = client.subscribe(
    { query: operation.query, variables: operation.variables },
    {
      next: (found) => answer(found as Answer),
      complete: ended,
      error: (error) => failed(error instanceof Failure ? error : new Failure(String(error))),
    },
  );
  return () => {
    stop();
    client.dispose();
  };
}

async function refusalOf(response: Response): Promise<Failure> {
  const { errors } = await response.json().catch(() => ({}));
  const [first] = errors ?? [];
  if (response.status === 404 || response.status === 405) return new Failure("This service has no live queries.", "NO_LIVE_QUERIES", ABSENT);
  return new Failure(first?.message ?? `The service responded with status ${response.status}.`, first?.extensions?.code, first?.extensions?.hint);
}
