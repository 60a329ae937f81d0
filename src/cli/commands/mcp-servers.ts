import type { AssayClient } from '../../contract/client.ts';
import { shown } from '../../contract/shown-text.ts';
import type { Run } from '../command.ts';
import { table } from '../table.ts';

export interface TargetOptions {
  env: string;
  mock?: boolean;
  passThrough?: boolean;
  endpoint?: string;
}

/** Exits with 1 where the server cannot be reached. */
export const testServer: Run<object> = async ({ output, connect }, [id = '']) => {
  const { client } = await connect();
  const tested = await client.mcpServers.test({ id });
  const { ok, message, tools } = tested;
  output.result(tested, () =>
    tools.length === 0 ? shown(message, 2000) : `${shown(message, 2000)}\n${toolTable(tools)}`,
  );
  return ok ? 0 : 1;
};

export const refreshTools: Run<object> = async ({ output, connect }, [id = '']) => {
  const { client } = await connect();
  const refreshed = await client.mcpServers.refreshTools({ id });
  output.result(refreshed, () => toolTable(refreshed.tools));
  return 0;
};

export const setTarget: Run<TargetOptions> = async ({ output, connect }, [id = ''], options) => {
  const { client } = await connect();
  const { env: environment, endpoint } = options;
  const target = await client.mcpServers.setTarget({
    id,
    environment,
    mode: modeOf(options),
    ...(endpoint === undefined ? {} : { endpoint }),
  });
  output.result(target, () => sentence(target));
  return 0;
};

function modeOf({ mock, passThrough }: TargetOptions) {
  if (passThrough === true) return 'pass-through';
  return mock === true ? 'mock' : 'real';
}

type Target = Awaited<ReturnType<AssayClient['mcpServers']['setTarget']>>;

const places: Record<Target['mode'], string> = {
  real: 'the server itself',
  mock: 'mock answers',
  'pass-through': 'mock answers where there is one for the tool, else the server itself',
};

function sentence({ server, environment, mode, endpoint }: Target): string {
  const at = endpoint === null ? '' : `, at ${shown(endpoint, 2000)}`;
  return `Calls of "${shown(server)}" go in ${shown(environment)} to ${places[mode]}${at}.`;
}

type Tools = Awaited<ReturnType<AssayClient['mcpServers']['test']>>['tools'];

function toolTable(tools: Tools): string {
  return table(
    ['TOOL', 'DESCRIPTION'],
    tools.map(({ name, description }) => [name, description]),
  );
}
