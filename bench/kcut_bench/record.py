"""One run, one record: what was planned, what happened, what it was worth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A row of the store. Times are wall-clock seconds unless the name says otherwise.

    Attributes
    ----------
    key : str
        Content key of the planned run (hexadecimal SHA-256); the primary key.
    problem, instance, instance_sha256 : str
        What was solved; ``instance`` is its name.
    family, family_params, instance_seed
        How to generate it again; the parameters as a JSON object. Family None: a file.
    num_jobs, num_edges, levels, longest_path : int
        Size; ``longest_path`` in jobs.
    total_weight, value, bound : int, float or None
        In the unit of the weights as given; integers where those were integers.
    solver, solver_params : str
        Name and parameters (a JSON object).
    exact : bool
        Whether the solver claims optimality when it finishes.
    seed, repetition : int
    time_limit_s, memory_limit_bytes, threads
        Limits; None for none.
    termination, claim, verdict : str
        See `kcut.answer`.
    detail : str
        The raw status of the library behind the solver, or why the run was skipped or crashed.
    reason : str
        Why the verdict is not ``verified``.
    gap : float or None
        ``(bound - value) / bound`` with the run's own bound.
    proven : bool
        Whether value equals a checked certificate's bound in exact integers.
    generate_s, build_s, solve_s, certify_s, verify_s, cpu_s : float or None
        ``solve_s`` is the whole call of the solver, ``build_s`` the part of it that built a model.
    peak_rss_bytes : int or None
    num_gpus, utilisation, utilisation_tied, utilisation_alone, simulate_s
        On a cluster: its GPUs; their simulated utilisation with these levels, with all jobs on one
        level, and if no job met another; and the seconds spent simulating. None elsewhere.
    work_share, work_share_tied : float or None
        Work done a second as a share of what the jobs do alone, with these levels and with all
        jobs on one; see `kcut.simulate.work_share`.
    objectives : str or None
        For path selection the solution's value under every objective, a JSON object; None for
        other problems and without a solution.
    max_slowdown, max_slowdown_tied, jain : float or None
        The largest slowdown of a job, with these levels and with all jobs on one, and Jain's index
        of the jobs' speeds; see `kcut.fairness`.
    utilisation_drift : float or None
        Of time shifts: the utilisation where every computation varies, see
        `kcut_bench.simulation.DRIFT`.
    incumbents : str
        JSON list of [seconds, value].
    solution, certificate : bytes or None
        Levels and cover, zlib-compressed little-endian int64.
    started_at : str
        UTC, ISO 8601.
    """

    key: str
    problem: str
    instance: str
    instance_sha256: str
    family: str | None
    family_params: str
    instance_seed: int | None
    num_jobs: int
    num_edges: int
    levels: int
    longest_path: int
    total_weight: int | float
    solver: str
    solver_params: str
    exact: bool
    seed: int
    repetition: int
    time_limit_s: float | None
    memory_limit_bytes: int | None
    threads: int
    termination: str
    claim: str
    verdict: str
    detail: str
    reason: str
    value: int | float | None
    bound: int | float | None
    gap: float | None
    proven: bool
    generate_s: float | None
    build_s: float | None
    solve_s: float | None
    certify_s: float | None
    verify_s: float | None
    cpu_s: float | None
    peak_rss_bytes: int | None
    incumbents: str
    solution: bytes | None
    certificate: bytes | None
    started_at: str
    num_gpus: int | None = None
    utilisation: float | None = None
    utilisation_tied: float | None = None
    utilisation_alone: float | None = None
    work_share: float | None = None
    work_share_tied: float | None = None
    simulate_s: float | None = None
    objectives: str | None = None
    max_slowdown: float | None = None
    max_slowdown_tied: float | None = None
    jain: float | None = None
    utilisation_drift: float | None = None
