// Keeps the files of one version of the page, and the page itself for when the network is away.

const FOLDER = "{assets}";
const PAGE = "{base}/";
const worker = /** @type {any} */ (self);

worker.addEventListener("install", (/** @type {any} */ event) => {
  worker.skipWaiting();
  event.waitUntil(keepPage());
});

worker.addEventListener("activate", (/** @type {any} */ event) => {
  const old = caches
    .keys()
    .then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name))));
  event.waitUntil(old.then(() => worker.clients.claim()));
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith(FOLDER)) event.respondWith(kept(request));
  else if (request.mode === "navigate") event.respondWith(fetch(request).catch((error) => keptPage(error)));
});

/**
 * Whether these are files of another version; what other paths of this host keep is not ours.
 * @param {string} name
 */
const isOld = (name) => name.startsWith(`${PAGE}web/`) && name !== FOLDER;

/** Keep the page of this version; no other answer to a visit is ever kept as the page. */
async function keepPage() {
  const answer = await fetch(PAGE, { cache: "reload" });
  const text = await answer.clone().text();
  if (!answer.ok || !text.includes(FOLDER)) throw new Error("this is no page of this version"); // it is tried again at the next visit
  await (await caches.open(FOLDER)).put(PAGE, answer);
}

/** @param {unknown} error why the page could not be fetched */
async function keptPage(error) {
  const known = await caches.match(PAGE);
  if (known) return known;
  throw error;
}

/** @param {Request} request */
async function kept(request) {
  const known = await caches.match(request).catch(() => undefined); // some devices have no store
  if (known) return known;
  const answer = await fetch(request);
  // No file of the page is HTML: that is what a proxy says in its place.
  if (answer.ok && !answer.headers.get("Content-Type")?.includes("html"))
    keep(request, answer.clone()).catch(() => undefined);
  return answer;
}

/**
 * @param {Request} request
 * @param {Response} answer
 */
async function keep(request, answer) {
  await (await caches.open(FOLDER)).put(request, answer);
}
