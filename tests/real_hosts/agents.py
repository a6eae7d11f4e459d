"""The real programs: where each is found, what it needs to work offline, and how it is asked something."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple, Protocol

from real_hosts.box import Box


class Agent(Protocol):
    """One host. Its class is its table row; its two methods are all that differs in running it."""

    name: str
    """The host's name in this project."""
    program: str
    package: str
    """The npm package and version this was tested with."""

    def prepare(self, box: Box, port: int) -> None:
        """Write the settings and set the variables that point it to the model on a port of loopback."""

    def words(self, prompt: str, *, resume: bool) -> list[str]:
        """Give the arguments for one prompt, in a new session or in the last one."""


class Found(NamedTuple):
    """Where a program is."""

    program: str
    folder: Path
    """To be first on PATH: the package may bring the Node.js it needs."""


USUAL = str(Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "real-hosts")
"""Where they are looked for when nobody says; taken before any test has another home."""


def find(agent: Agent) -> Found | None:
    """Look for a host's program below $REAL_HOSTS, then on PATH."""
    folder = Path(os.environ.get("REAL_HOSTS") or USUAL).expanduser().absolute() / "node_modules" / ".bin"
    if (folder / agent.program).exists():
        return Found(str(folder / agent.program), folder)
    on_path = shutil.which(agent.program)
    return Found(on_path, Path(on_path).parent) if on_path else None


class ClaudeCode:
    name, program, package = "claude-code", "claude", "@anthropic-ai/claude-code@2.1.332"

    def prepare(self, box: Box, port: int) -> None:
        """Let it take any key; somebody else's hook is there already."""
        key = "sk-ant-api03-no-real-key-0000000000000000000000000000"
        theirs = {"hooks": [{"type": "command", "command": "true"}]}
        box.write(box.home / ".claude" / "settings.json", {"cleanupPeriodDays": 30, "hooks": {"Stop": [theirs]}})
        seen = {"hasCompletedOnboarding": True, "theme": "dark"}
        approved = {"customApiKeyResponses": {"approved": [key[-20:]], "rejected": []}}
        trusted = {"projects": {str(box.repository): {"hasTrustDialogAccepted": True}}}
        box.write(box.home / ".claude.json", {**seen, **approved, **trusted})
        box.env |= {
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
            "ANTHROPIC_API_KEY": key,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def words(self, prompt: str, *, resume: bool) -> list[str]:
        """Print mode, the shell allowed."""
        return ["-p", prompt, "--allowedTools", "Bash", *(["--continue"] if resume else [])]


class Codex:
    name, program, package = "codex", "codex", "@openai/codex@0.171.0"

    def prepare(self, box: Box, port: int) -> None:
        """Give it a provider of its own; somebody else's hook is there already."""
        provider = (
            f'name = "loop"\nbase_url = "http://127.0.0.1:{port}/v1"\nwire_api = "responses"\nenv_key = "LOOP_KEY"'
        )
        head = 'model = "gpt-5.5"\nmodel_provider = "loop"\ncheck_for_update_on_startup = false'
        # without a server in the background, and without an offer of a newer model
        features = '[features]\ndaemon_auto_start = false\n\n[notice.model_migrations]\n"gpt-5.5" = "gpt-6-sol"'
        retries = "request_max_retries = 0\nstream_max_retries = 0"
        trust = f'[projects."{box.repository}"]\ntrust_level = "trusted"'
        config = f"{head}\n\n[model_providers.loop]\n{provider}\n{retries}\n\n{features}\n\n{trust}\n"
        box.write(box.home / ".codex" / "config.toml", config)
        theirs = {"hooks": [{"type": "command", "command": "true"}]}
        box.write(box.home / ".codex" / "hooks.json", {"hooks": {"Stop": [theirs]}})
        box.env["LOOP_KEY"] = "none"

    def words(self, prompt: str, *, resume: bool) -> list[str]:
        """`exec`, with hooks trusted and no sandbox, for the store lies outside of the repository."""
        open_doors = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
        return ["exec", *open_doors, *(["resume", "--last"] if resume else []), prompt]


class Gemini:
    name, program, package = "gemini", "gemini", "@google/gemini-cli@0.61.0"

    def prepare(self, box: Box, port: int) -> None:
        """Let it take any key and trust the folder."""
        security = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
        quiet = {"general": {"enableAutoUpdate": False}, "privacy": {"usageStatisticsEnabled": False}}
        box.write(box.home / ".gemini" / "settings.json", {"security": security, **quiet})
        box.env |= {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{port}",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        }

    def words(self, prompt: str, *, resume: bool) -> list[str]:
        """Headless, every tool allowed: otherwise it offers no shell."""
        return ["-m", "gemini-2.5-pro", "--yolo", *(["--resume", "latest"] if resume else []), "-p", prompt]


class OpenCode:
    name, program, package = "opencode", "opencode", "opencode-ai@1.18.33"

    def prepare(self, box: Box, port: int) -> None:
        """Give it a provider of its own, and keep it from looking things up."""
        model = {"name": "scripted", "tool_call": True, "limit": {"context": 100_000, "output": 8_000}}
        options = {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "none"}
        loop = {"npm": "@ai-sdk/openai-compatible", "name": "loop", "options": options, "models": {"scripted": model}}
        chosen = {"model": "loop/scripted", "small_model": "loop/scripted", "provider": {"loop": loop}}
        quiet = {"autoupdate": False, "share": "disabled"}
        box.write(box.home / ".config" / "opencode" / "opencode.json", {**chosen, **quiet})
        box.env |= {
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            # it installs a package for every directory with plugins; offline that would be tried for a minute
            "npm_config_fetch_retries": "0",
        }

    def words(self, prompt: str, *, resume: bool) -> list[str]:
        """`run`, where the shell is allowed by default."""
        return ["run", *(["--continue"] if resume else []), prompt]


class Pi:
    name, program, package = "pi", "pi", "@earendil-works/pi-coding-agent@1.6.0"

    def prepare(self, box: Box, port: int) -> None:
        """Give it a provider of its own."""
        model = {"id": "scripted", "name": "scripted", "contextWindow": 100_000, "maxTokens": 8_000}
        address = {"baseUrl": f"http://127.0.0.1:{port}/v1", "api": "openai-completions", "apiKey": "none"}
        folder = box.home / ".pi" / "agent"
        box.write(folder / "models.json", {"providers": {"loop": {**address, "models": [model]}}})
        box.write(folder / "settings.json", {"defaultProvider": "loop", "defaultModel": "scripted"})
        box.env |= {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}

    def words(self, prompt: str, *, resume: bool) -> list[str]:
        """Print mode."""
        return [*(["--continue"] if resume else []), "-p", prompt]


class Qwen:
    name, program, package = "qwen", "qwen", "@qwen-code/qwen-code@0.24.4"

    def prepare(self, box: Box, port: int) -> None:
        """Let it take any key and trust the folder."""
        security = {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}}
        quiet = {"general": {"disableAutoUpdate": True}, "privacy": {"usageStatisticsEnabled": False}}
        # after a turn it would ask the model what to remember, with the shell on offer
        memory = {"memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False}}
        # and what the person might type next, in a question like those of the conversation
        guess = {"ui": {"enableFollowupSuggestions": False}}
        box.write(box.home / ".qwen" / "settings.json", {"security": security, **quiet, **memory, **guess})
        box.env |= {
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
            "OPENAI_MODEL": "scripted",
        }

    def words(self, prompt: str, *, resume: bool) -> list[str]:
        """Headless, every tool allowed."""
        return ["--yolo", *(["--continue"] if resume else []), prompt]


class Copilot:
    name, program, package = "copilot", "copilot", "@github/copilot@1.0.102"

    def prepare(self, box: Box, port: int) -> None:
        """Give it a provider of its own and keep it offline."""
        (box.home / ".copilot").mkdir(exist_ok=True)
        box.env |= {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{port}/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "scripted",
            "COPILOT_PROVIDER_MAX_PROMPT_TOKENS": "100000",
            "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS": "8000",
            "COPILOT_AUTO_UPDATE": "false",
        }

    def words(self, prompt: str, *, resume: bool) -> list[str]:
        """Print mode, every tool allowed."""
        return [*(["--continue"] if resume else []), "--allow-all-tools", "-p", prompt]


AGENTS: tuple[Agent, ...] = (ClaudeCode(), Codex(), Gemini(), OpenCode(), Pi(), Qwen(), Copilot())
