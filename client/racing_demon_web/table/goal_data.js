// Generated from the games by protocol/generate.py.

/** What a hand is about, by game. @type {Record<string, string>} */
export const GOALS = {
  "racing-demon": "Play your cards up from the aces in the middle.",
  classic: "Empty your reserve: play up from the aces in the middle.",
  "demon-a-aces": "Empty your reserve: play up from the aces in the middle.",
  "demon-a-first": "Empty your reserve: play up in the middle.",
  "demon-b-aces": "Empty your reserve: play up from the aces in the middle.",
  "demon-b-first": "Empty your reserve: play up in the middle.",
};
