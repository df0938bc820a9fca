// The games, as the page has them.

import { readFileSync } from "node:fs";

const file = new URL("../../client/racing_demon_web/games.json", import.meta.url);
export const { games, tables } = JSON.parse(readFileSync(file, "utf8"));
