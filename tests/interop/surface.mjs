// What the published validator and report make of bundles.
//
//   node surface.mjs CASES
//
// CASES is a JSON file: [{name, bundle, now}], `bundle` being a path. Prints one JSON array, in
// that order: {name, refused} or {name, version, statuses}, statuses by claim id.

import { readFile } from "node:fs/promises";
import { argv, stdout } from "node:process";
import { buildTrustReport, validateTrustBundle } from "@kontourai/surface";

const answers = [];
for (const { name, bundle, now } of JSON.parse(await readFile(argv[2], "utf8"))) {
  try {
    const validated = validateTrustBundle(JSON.parse(await readFile(bundle, "utf8")));
    const report = buildTrustReport(validated, { generatedAt: now });
    const statuses = Object.fromEntries(report.claims.map((claim) => [claim.id, claim.status]));
    answers.push({ name, version: report.statusFunctionVersion, statuses });
  } catch (refused) {
    answers.push({ name, refused: String(refused?.name ?? "refused") });
  }
}
stdout.write(`${JSON.stringify(answers)}\n`);
