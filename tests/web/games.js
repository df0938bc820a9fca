// The games, as the page has them.

import { GAMES, TABLES } from "../../client/racing_demon_web/rules/games.js";
import "../../client/racing_demon_web/rules/games_later.js";

export { GAMES as games, TABLES as tables };
