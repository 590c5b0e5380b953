// Parses Mermaid charts, given as a JSON list of texts, by the real package; fails on the first that it refuses.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.NODE_PATH, "_.js"));
const main = require.resolve("mermaid");
const purifier = dirname(createRequire(main).resolve("dompurify"));
const purify = (await import(pathToFileURL(join(purifier, "purify.es.mjs")))).default;
// There is no document to clean here; the parser does not need one.
purify.addHook ??= () => {};
purify.sanitize ??= (text) => text;
const mermaid = (await import(pathToFileURL(main))).default;
for (const text of JSON.parse(process.argv[2])) console.log((await mermaid.parse(text)).diagramType);
