import path from 'node:path';
import { readCitations } from './citations.ts';
import { planned } from './planned.ts';
import { type RequirementId, requirements } from './requirements.ts';

const { citations, problems } = readCitations(path.dirname(import.meta.dirname));
const ids = Object.keys(requirements) as RequirementId[];
const proofs = new Map(ids.map((id) => [id, citations.filter((citation) => citation.ids.includes(id))]));

const lines = ids.flatMap((id) => {
  const [state = 'missing', ...more] = [
    ...(proofs.get(id) ?? []).map(({ file, title }) => `proven   ${file}: ${title}`),
    ...(planned.includes(id) ? ['planned'] : []),
  ];
  return [`${id.padEnd(4)} ${state}`, ...more.map((line) => `     ${line}`)];
});

const proven = ids.filter((id) => proofs.get(id)?.length);
const missing = ids.filter((id) => !proven.includes(id) && !planned.includes(id));
lines.push(
  '',
  `${ids.length} requirements: ${proven.length} proven, ${planned.length} planned, ${missing.length} neither`,
);
lines.push(...problems);
process.stdout.write(`${lines.join('\n')}\n`);
