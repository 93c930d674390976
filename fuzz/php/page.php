<?php
declare(strict_types=1);
namespace App\View;
use App\{Model, Store as S};
final class Page {
    private array $rows = [];
    public function __construct(private S $store, string ...$names) {
        foreach ($names as $i => $name) { $this->rows[$name] ??= $store->get("row-$i")?->value ?? null; }
    }
    public function show(): string {
        ob_start(); ?>
<ul><?php foreach ($this->rows as $k => $v): ?><li><?= htmlspecialchars("$k: {$v}") ?></li><?php endforeach; ?></ul>
<?php return ob_get_clean() ?: ''; // done
    }
}
echo (new Page(new S('/tmp/db'), 'a', "b"))->show(), PHP_EOL;
file_put_contents(__DIR__ . '/cache/' . md5(serialize($argv)) . '.txt', <<<'RAW'
no $values here
RAW);
