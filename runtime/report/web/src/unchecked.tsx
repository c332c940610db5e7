// Empty states: the checks that the profile does not make, and the commands that make them.
import {shellCommand} from "./format";
import {useReport} from "./parts";

/** The checks that were not made, with the commands that make them. */
export function Unchecked() {
  const {texts} = useReport();
  return texts.unchecked.length === 0 ? null : (
    <section>
      <h3>Not checked</h3>
      <ul class="next">
        {texts.unchecked.map(({profile, checks}) => (
          <li>
            <span>{checks}</span>
            <RunAgain profile={profile} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Says what was checked, so that a profile without findings is not taken for a program without problems. */
export function NoFindings() {
  const {texts} = useReport();
  const checked = texts.figures.find(([name]) => name === "Checked")?.[1];
  return (
    <p class="empty">
      No findings{checked && <>. Checked: {checked}</>}.
    </p>
  );
}

/** A command that profiles the program again. */
export function RunAgain({profile}: {profile: string}) {
  const {summary} = useReport();
  return <code class="command">gmprof run --profile {profile} -- {shellCommand(summary.run.command)}</code>;
}
