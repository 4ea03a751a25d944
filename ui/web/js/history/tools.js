// What can be done with the record of a table: save it, check it, share it.

import { act, app, toast } from "../app.js";
import { h } from "../dom.js";
import { number, t } from "../i18n.js";
import { faultText } from "../log.js";
import { absences } from "../silent.js";

const COUNTS = ["hands", "packs", "entries", "signatures", "proofs", "equations"];

let asked = ""; // the table whose record is being checked at the player's word

/** Shows what a check has found, wherever it appears. */
function intoView(node, id, done) {
  if (asked !== id) return;
  if (done) asked = "";
  queueMicrotask(() => node.isConnected && node.scrollIntoView({ block: "nearest" }));
}

const fileName = (id) => `${id.slice(0, 12)}.facedown`;

/** Buttons for the record of a table by its id, and the verdict once it was checked here. */
export function recordTools(id, name = "") {
  const check = app.state.archive?.checks[id];
  const running = check?.state === "running";
  return h(
    "div",
    { class: "record", key: `record-${id}` },
    h(
      "div",
      { class: "row" },
      h("a", { class: "button", href: `/record/${id}.facedown`, download: fileName(id), "data-do": "save" }, t("record.save")),
      h("button", { "data-do": "verify", disabled: running, onclick: () => verify(id) },
        t(check?.state === "done" ? "record.again" : "record.check")),
      canShare() ? h("button", { "data-do": "share", onclick: () => share(id, name) }, t("record.share")) : null,
    ),
    check
      ? h("div", { role: "status", class: "record-verdict" },
        h("div", { key: check.state, ref: (node) => intoView(node, id, !running) }, running ? working(check) : verdict(check)))
      : null,
  );
}

function verify(id) {
  asked = id;
  act("verify", { table: id });
}

/** How far something is that takes its time. */
export function working({ steps }) {
  return [h("progress", { "aria-label": t("record.working") }), h("p", { class: "quiet" }, t("record.steps", { n: steps }))];
}

function verdict(check) {
  if (check.state === "failed") return h("p", null, t("record.failed"));
  const { fault, caught, besides, counts } = check;
  const spared = caught.length > 0 && !besides;
  const word = spared ? "caught" : check.verdict.replace(" ", "");
  return [
    h("p", { class: `verdict ${word}` }, t(`verify.${word}`, { name: fault?.name ?? "" })),
    fault ? h("p", null, fault.name ? faultText(fault.code, fault.name) : t("verify.file")) : null,
    fault && !spared ? h("p", { class: "quiet" }, t("verify.copy")) : null,
    check.absent?.length ? h("p", { class: "quiet" }, t("absent.what")) : null,
    absences(check.absent, (seat) => check.names[seat]),
    h(
      "details",
      null,
      h("summary", { "data-do": "counts" }, t("fair.numbers")),
      h(
        "dl",
        null,
        COUNTS.map((one) => [h("dt", null, t(`verify.n.${one}`)), h("dd", null, number(counts[one]))]),
        h("dt", null, t("verify.n.bytes")), h("dd", null, t("fair.bytes", { n: number(check.bytes) })),
        h("dt", null, t("verify.n.time")), h("dd", null, t("fair.seconds", { n: number(check.seconds) })),
        fault ? [h("dt", null, t("fair.n.code")), h("dd", null, h("code", null, fault.code)),
          h("dt", null, t("fair.n.words")), h("dd", { lang: "en" }, h("bdi", null, fault.text))] : null,
      ),
      h("p", { class: "quiet" }, t("fair.section", { section: "9" })),
    ),
  ];
}

/** Whether this browser can hand such a file to another program. */
function canShare() {
  try {
    return Boolean(navigator.canShare?.({ files: [new File(["x"], "x.facedown")] }));
  } catch {
    return false;
  }
}

async function share(id, name) {
  try {
    const answer = await fetch(`/record/${id}.facedown`);
    if (!answer.ok) throw new Error("no record");
    const file = new File([await answer.blob()], fileName(id), { type: "application/octet-stream" });
    await navigator.share({ files: [file], title: name });
  } catch (error) {
    if (error.name !== "AbortError") toast(t("record.unshared"));
  }
}
