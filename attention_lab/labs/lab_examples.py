"""Small examples for the formulas of the laboratories; equal choices give equal numbers."""

from __future__ import annotations

import math

import numpy as np

from attention_core.checks import Array

from .deep_stack import activation_sizes, first_stack, run_stack
from .julia_mapping import JuliaHeads, MappingCheck, check_mapping
from .one_by_one import OneByOne
from .sphere_step import SphereStep, sphere_step
from .stack_settings import StackSettings
from .textures import draw_textures

SPHERE_POINT = (1.0, 0.4, 0.5)


def sphere_step_example(turn: float, outward: float, step_size: float) -> SphereStep:
    """A step on the unit sphere from a fixed point; the tangent part of the gradient has length 1.

    turn: the direction of the tangent part in degrees. outward: the part of the gradient along the
    point.

    >>> step = sphere_step_example(90, 0.5, 1.0)
    >>> round(float(np.linalg.norm(step.tangent)), 9), round(float(step.gradient @ step.point), 9)
    (1.0, 0.5)
    """
    point = np.array(SPHERE_POINT) / math.hypot(*SPHERE_POINT)
    sideways = np.cross(point, [0.0, 0.0, 1.0])
    sideways /= np.linalg.norm(sideways)
    upwards = np.cross(sideways, point)
    angle = math.radians(turn)
    return sphere_step(
        point, math.cos(angle) * sideways + math.sin(angle) * upwards + outward * point, step_size
    )


def mapping_example(convention: str, add_connection: bool, seed: int) -> MappingCheck:
    """The package's layer and ours on 7 tokens of 12 features, with 3 heads of orthonormal columns.

    >>> mapping_example("manual", False, 0).difference < 1e-12
    True
    """
    z = np.random.default_rng(1000 + seed).standard_normal((12, 7))
    return check_mapping(z, JuliaHeads.random(12, 3, seed), convention, add_connection)


def one_by_one_example() -> tuple[Array, Array]:
    """Six tokens of four features, of which the last is twice the first, and a kernel from four to
    two features.
    """
    rng = np.random.default_rng(0)
    tokens_TC = rng.standard_normal((6, 4))
    tokens_TC[5] = 2 * tokens_TC[0]
    return tokens_TC, rng.standard_normal((4, 2))


def n_choosing_themselves(run: OneByOne) -> int:
    """How many tokens have their row's largest score with themselves, up to rounding."""
    scores_TS = run.trace.scores[0, 0]
    best_T = scores_TS.max(axis=1)
    return int((scores_TS.diagonal() >= best_T - 1e-9 * np.abs(best_T)).sum())


def untrained_output_size(settings: StackSettings) -> float:
    """The root mean square of the output of the last layer of an untrained stack."""
    inputs_BTD, _ = draw_textures(np.random.default_rng(settings.seed), settings.batch)
    return float(
        activation_sizes(run_stack(settings, first_stack(settings).weights, inputs_BTD))[-1]
    )
