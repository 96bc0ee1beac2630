// A peer: PostGraphile 5 with its Amber preset. ROLE: the database role of each request, empty for the login role.
import { makePgService } from "postgraphile/adaptors/pg";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";

const { DATABASE_URL, PORT, ROLE } = process.env;

export default {
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: DATABASE_URL, schemas: ["public"] })],
  grafast: { context: { pgSettings: ROLE ? { role: ROLE } : {} } },
  grafserv: { host: "127.0.0.1", port: Number(PORT), graphqlPath: "/graphql", graphiql: false, websockets: false },
};
