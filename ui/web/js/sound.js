// Sounds, off until somebody wants them; made here, so that nothing needs to be loaded.

import { prefs } from "./prefs.js";

const LOUD = 0.07; // of 1: in the background of a conversation
const APART = 90; // milliseconds: many moves at once are one sound

let context = null;
let last = 0;

/** A soft sound for what has happened, if sounds are wanted. */
export function play(event) {
  if (!prefs.sounds) return;
  if (event.kind === "ask") chime();
  else if (event.kind === "move") card();
  else if (event.kind === "hand_over" || event.kind === "match_over") settle();
  else if (event.kind === "chat" && !event.own) note(1175, 0, 0.12, LOUD / 2);
  else if (event.kind === "overdue") note(294, 0, 0.35);
}

/** What sounds are like, for the settings. */
export function sample() {
  card(true);
  setTimeout(chime, 250);
}

function chime() {
  note(659, 0, 0.28);
  note(988, 0.11, 0.45);
}

function settle() {
  note(523, 0, 0.3);
  note(392, 0.12, 0.5);
}

/** A card that is laid down: a breath of noise. */
function card(now = false) {
  if (!now && performance.now() - last < APART) return;
  last = performance.now();
  const { sound, at } = ready();
  const size = Math.floor(sound.sampleRate * 0.05);
  const buffer = sound.createBuffer(1, size, sound.sampleRate);
  const data = buffer.getChannelData(0);
  for (let i = 0; i < size; i++) data[i] = (Math.random() * 2 - 1) * (1 - i / size) ** 3;
  const source = new AudioBufferSourceNode(sound, { buffer });
  const soft = new BiquadFilterNode(sound, { type: "lowpass", frequency: 1800 });
  source
    .connect(soft)
    .connect(new GainNode(sound, { gain: LOUD * 1.6 }))
    .connect(sound.destination);
  source.start(at);
}

/** A tone that swells quickly and fades, like a small bell. */
function note(pitch, after, length, loud = LOUD) {
  const { sound, at } = ready();
  const start = at + after;
  const gain = new GainNode(sound, { gain: 0 });
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(loud, start + 0.012);
  gain.gain.exponentialRampToValueAtTime(0.0005, start + length);
  const tone = new OscillatorNode(sound, { type: "sine", frequency: pitch });
  tone.connect(gain).connect(sound.destination);
  tone.start(start);
  tone.stop(start + length + 0.02);
}

function ready() {
  context ??= new AudioContext();
  // Browsers hold it until the person has touched the page.
  if (context.state === "suspended") context.resume();
  return { sound: context, at: context.currentTime + 0.01 };
}
