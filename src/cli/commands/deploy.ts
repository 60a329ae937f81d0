import { shown } from '../../contract/shown-text.ts';
import type { Run } from '../command.ts';

export interface DeployOptions {
  env: string;
  agentVersion: string;
}

export const deployAgent: Run<DeployOptions> = async ({ output, connect }, [id = ''], options) => {
  const { client } = await connect();
  const deployed = await client.agents.deploy({
    id,
    environment: options.env,
    version: options.agentVersion,
  });
  const { agent, environment, version } = deployed;
  output.result(
    deployed,
    () => `The version "${shown(version)}" of "${shown(agent)}" answers in ${shown(environment)} now.`,
  );
  return 0;
};
