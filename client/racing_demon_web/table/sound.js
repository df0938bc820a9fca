// Short sounds made by oscillators. They are off until somebody asks for them.

const SOUNDS = {
  play: [[520, 0.04]],
  up: [
    [660, 0.05],
    [880, 0.06],
  ],
  turn: [[240, 0.03]],
  beaten: [
    [200, 0.09],
    [150, 0.12],
  ],
  signal: [
    [523, 0.08],
    [784, 0.16],
  ],
  won: [
    [523, 0.12],
    [659, 0.12],
    [784, 0.12],
    [1047, 0.12],
    [784, 0.12],
    [1047, 0.4],
  ],
  out: [
    [523, 0.1],
    [659, 0.1],
    [784, 0.1],
    [1047, 0.25],
  ],
};

/** @type {AudioContext | null} */
let context = null;

/** Call on a press: browsers allow no sound before, and some know none. */
export function unlock() {
  if (!("AudioContext" in window)) return;
  if (context === null) context = new AudioContext();
  if (context.state !== "running") context.resume().catch(() => undefined);
}

/** @param {keyof typeof SOUNDS} name */
export function sound(name) {
  if (context?.state !== "running") return;
  let start = context.currentTime;
  for (const [pitch, seconds] of SOUNDS[name]) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.12, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + seconds);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + seconds);
    start += seconds * 0.8;
  }
}
