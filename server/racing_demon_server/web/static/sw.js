// Keeps the files of one version of the page, and the page itself for when the network is away.

const FOLDER = "{assets}";
const worker = /** @type {any} */ (self);

worker.addEventListener("install", () => worker.skipWaiting());

worker.addEventListener("activate", (/** @type {any} */ event) => {
  const old = caches.keys().then((names) => Promise.all(names.filter((name) => name !== FOLDER).map((name) => caches.delete(name))));
  event.waitUntil(old.then(() => worker.clients.claim()));
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith(FOLDER)) event.respondWith(kept(request));
  else if (request.mode === "navigate") event.respondWith(fresh(request));
});

/** @param {Request} request */
async function kept(request) {
  const cache = await caches.open(FOLDER);
  const known = await cache.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}

/** @param {Request} request */
async function fresh(request) {
  const cache = await caches.open(FOLDER);
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put("/", answer.clone());
    return answer;
  } catch (error) {
    const known = await cache.match("/");
    if (known) return known;
    throw error;
  }
}
