import type { FrozenServer } from '../core/frozen.ts';
import type { ToolScope } from '../core/ports.ts';
import { ToolFailure } from './tool-failure.ts';

/**
 * What answers a call before its server is asked: by the server's target in the environment of the case. Returns where
 * the server itself is to answer (`real`, and `pass-through` without a fixture for the tool); throws ToolFailure where
 * a plain mock has no fixture.
 */
export function answerByFixture(
  { name, target }: FrozenServer,
  tool: string,
  { environment }: ToolScope,
): void {
  if (target.mode !== 'mock') return;
  throw new ToolFailure(
    'fixture_missing',
    `MCP server "${name}" is mocked in environment "${environment}", and there is no mocked answer for its tool ` +
      `"${tool}". Add one, or set the target of "${name}" in "${environment}" to pass-through or real.`,
  );
}
